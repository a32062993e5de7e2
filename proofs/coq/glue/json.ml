(* JSON, strictly, as the tree that the program reads: a number stays text, no key twice, UTF-8 checked. Trusted. *)
open Checked

(* Lists may be long: nothing here is called within itself for each element. *)
module List = struct
  include List
  let map f l = rev (rev_map f l)
  let mapi f l = let i = ref (-1) in map (fun x -> incr i; f !i x) l
  let append l m = rev_append (rev l) m
  let concat_map f l = rev (fold_left (fun acc x -> rev_append (f x) acc) [] l)
  let concat l = concat_map Fun.id l
  let rec init_onto n f acc = if n <= 0 then acc else init_onto (n - 1) f (f (n - 1) :: acc)
  let init n f = init_onto n f []
end
let ( @ ) = List.append

exception Malformed of string
let bad place = raise (Malformed place)
let max_bytes = 64 * 1024 * 1024
let max_depth = 500

(* Length in bytes of the UTF-8 character at i: no overlong forms, no surrogates, nothing above U+10FFFF. *)
let character s i =
  let n = String.length s in
  let byte k = if i + k < n then Char.code s.[i + k] else 0 in
  let next k low high = byte k >= low && byte k <= high in
  let tail k = next k 0x80 0xbf in
  match byte 0 with
  | b when b < 0x80 -> 1
  | b when b >= 0xc2 && b <= 0xdf && tail 1 -> 2
  | 0xe0 when next 1 0xa0 0xbf && tail 2 -> 3
  | 0xed when next 1 0x80 0x9f && tail 2 -> 3
  | b when b >= 0xe1 && b <= 0xef && b <> 0xed && tail 1 && tail 2 -> 3
  | 0xf0 when next 1 0x90 0xbf && tail 2 && tail 3 -> 4
  | b when b >= 0xf1 && b <= 0xf3 && tail 1 && tail 2 && tail 3 -> 4
  | 0xf4 when next 1 0x80 0x8f && tail 2 && tail 3 -> 4
  | _ -> bad "file: expected UTF-8"

(* A code point as UTF-8; a lone surrogate, which an escape can write, as three bytes that no character has. *)
let utf8 buffer c =
  let add x = Buffer.add_char buffer (Char.chr x) in
  let tail shift = add (0x80 lor ((c lsr shift) land 63)) in
  if c < 0x80 then add c
  else if c < 0x800 then (add (0xc0 lor (c lsr 6)); tail 0)
  else if c < 0x10000 then (add (0xe0 lor (c lsr 12)); tail 6; tail 0)
  else (add (0xf0 lor (c lsr 18)); tail 12; tail 6; tail 0)

let parse s =
  let n = String.length s and i = ref 0 in
  if n > max_bytes then bad "file: expected at most 64 MiB";
  let json () = bad (Printf.sprintf "file: expected JSON (at byte %d)" !i) in
  let peek () = if !i < n then s.[!i] else '\000' in
  let rec space () = match peek () with ' ' | '\n' | '\r' | '\t' -> incr i; space () | _ -> () in
  let expect c = if !i < n && s.[!i] = c then incr i else json () in
  let word w value =
    let k = String.length w in
    if !i + k <= n && String.sub s !i k = w then (i := !i + k; value) else json () in
  let hex at =
    if at + 4 > n then json ();
    String.iter (function '0' .. '9' | 'a' .. 'f' | 'A' .. 'F' -> () | _ -> json ()) (String.sub s at 4);
    int_of_string ("0x" ^ String.sub s at 4) in
  let unicode buffer =
    let high = hex !i in
    i := !i + 4;
    let pair = high land 0xfc00 = 0xd800 && !i + 1 < n && s.[!i] = '\\' && s.[!i + 1] = 'u' in
    let low = if pair then hex (!i + 2) else 0 in
    if low land 0xfc00 = 0xdc00 then begin
      i := !i + 6;
      utf8 buffer (0x10000 + ((high land 0x3ff) lsl 10) + (low land 0x3ff))
    end else utf8 buffer high in
  let text () =
    expect '"';
    let buffer = Buffer.create 16 in
    let rec go () =
      if !i >= n then json ();
      match s.[!i] with
      | '"' -> incr i
      | '\\' ->
        incr i;
        let c = peek () in
        incr i;
        (match c with
         | '"' | '\\' | '/' -> Buffer.add_char buffer c
         | 'b' -> Buffer.add_char buffer '\b' | 'f' -> Buffer.add_char buffer '\012'
         | 'n' -> Buffer.add_char buffer '\n' | 'r' -> Buffer.add_char buffer '\r' | 't' -> Buffer.add_char buffer '\t'
         | 'u' -> unicode buffer
         | _ -> json ());
        go ()
      | c when Char.code c < 32 -> json ()
      | _ -> let k = character s !i in Buffer.add_string buffer (String.sub s !i k); i := !i + k; go () in
    go ();
    Buffer.contents buffer in
  let digits () =
    let from = !i in
    while (match peek () with '0' .. '9' -> true | _ -> false) do incr i done;
    if !i = from then json () in
  let number () =
    let from = !i in
    if peek () = '-' then incr i;
    if peek () = '0' then incr i else digits ();
    if peek () = '.' then (incr i; digits ());
    (match peek () with
     | 'e' | 'E' -> incr i; (match peek () with '+' | '-' -> incr i | _ -> ()); digits ()
     | _ -> ());
    Digits (String.sub s from (!i - from)) in
  let rec value depth =
    if depth > max_depth then bad "file: expected JSON that is not nested deeply";
    space ();
    let found = match peek () with
      | '{' -> incr i; space (); if peek () = '}' then (incr i; Object []) else members depth (Hashtbl.create 8) []
      | '[' -> incr i; space (); if peek () = ']' then (incr i; Values []) else elements depth []
      | '"' -> Text (text ())
      | 't' -> word "true" (Bool true) | 'f' -> word "false" (Bool false) | 'n' -> word "null" Null
      | _ -> number () in
    space ();
    found
  and members depth seen rest =
    space ();
    let key = text () in
    if Hashtbl.mem seen key then bad "file: expected no key twice in an object";
    Hashtbl.add seen key ();
    space ();
    expect ':';
    let rest = (key, value (depth + 1)) :: rest in
    if peek () = ',' then (incr i; members depth seen rest) else (expect '}'; Object (List.rev rest))
  and elements depth rest =
    let rest = value (depth + 1) :: rest in
    if peek () = ',' then (incr i; elements depth rest) else (expect ']'; Values (List.rev rest)) in
  let found = value 0 in
  if !i < n then json () else found
