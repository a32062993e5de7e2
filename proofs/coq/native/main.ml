(* shufflecert-kernel CERT...: a verdict for each file, in its own line; - is the standard input. *)
let read name =
  let channel = if name = "-" then stdin else open_in_bin name in
  set_binary_mode_in channel true;
  let data = Buffer.create 65536 in
  (try while Buffer.length data <= Json.max_bytes do Buffer.add_channel data channel 1 done with End_of_file -> ());
  if name <> "-" then close_in channel;
  Buffer.contents data

let () =
  Gc.set { (Gc.get ()) with Gc.minor_heap_size = 1 lsl 18 };  (* numbers are short-lived *)
  let files = List.tl (Array.to_list Sys.argv) in
  if files = [] then (prerr_endline "usage: shufflecert-kernel CERT..."; exit 2);
  let one name =
    let found = try Decide.verdict (read name) with Sys_error why -> Decide.Malformed ("file: " ^ why) in
    print_endline ((if name = "-" then "" else name ^ ": ") ^ Decide.words found);
    found in
  let found = List.map one files in
  let is f = List.exists f found in
  exit (if is (function Decide.Malformed _ -> true | _ -> false) then 2
    else if is (function Decide.Rejected _ -> true | _ -> false) then 1
    else if is (function Decide.Undecided _ -> true | _ -> false) then 3 else 0)
