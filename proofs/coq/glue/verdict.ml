(* The verdict on a file, of either format. *)
let verdict data = Decide.decided (fun () -> match Json.parse data with
  | Object all when List.mem_assoc "version" all -> Old_decide.verdict data
  | tree -> Decide.of_file tree)
