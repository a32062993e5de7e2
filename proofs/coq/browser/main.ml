(* The verified kernel as one function of JavaScript: a certificate's bytes to its verdict in words. *)
external export : (string -> string) -> unit = "kernel_export"
let () = export (fun data -> Decide.words (Decide.verdict data))
