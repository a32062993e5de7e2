"""What is not finite, enclosed: intervals with rational ends, integer noise laws, windows of them, the least eps."""
