"""What a system must and may offer, how files of strangers become randomizers, and which systems there are."""
