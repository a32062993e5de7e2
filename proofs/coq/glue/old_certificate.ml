(* Of versions 1 to 8: from a file to what it states: the claim and the evidence that `Checked.check` is about. CERTIFICATE.md defines the
   form; what is not of it is malformed. Labels become numbers: places in the lists of inputs and of messages. *)
open Json

let covered why = Certificate.Not_covered why

(* The evidence of an enumeration is spelled out when it is called for. *)
type t =
  | Enumeration of Checked.claim * (unit -> Checked.evidence) * Words.names
  | Threshold of Checked.claim * (unit -> Checked.pair) * Checked.threshold * Words.names
  | Cover of Checked.claim * Checked.node list * Words.names
  | Blanket of Checked.claim * Checked.q * Big.t * Words.names  (* the grid's step, and how many cells *)
  | Any of Checked.any_claim * Checked.q * Big.t
  | One of Checked.exponent * Checked.q * Checked.claim * (unit -> Checked.pair) * Checked.threshold * Words.names
  | Histogram of Checked.histogram * Checked.verdict * Checked.q * Checked.q
  | Count of Checked.count * Checked.verdict * Checked.q * Checked.q  (* lower, upper *)

let need condition place expected = if not condition then bad (place ^ ": expected " ^ expected)

(* ---- values ---- *)
let text place = function Text s -> s | _ -> bad (place ^ ": expected a string")
let list place = function List l -> l | _ -> bad (place ^ ": expected a list")
let members place = function Object l -> l | _ -> bad (place ^ ": expected an object")

(* The values of exactly these keys, in this order. *)
let fields place keys value =
  let found = members place value in
  List.iter (fun (key, _) -> need (List.mem key keys) place ("no other key than " ^ String.concat ", " keys)) found;
  List.map (fun key -> match List.assoc_opt key found with
    | Some value -> value
    | None -> bad (place ^ ": expected the key " ^ key)) keys

let max_digits = 100_000
let are_digits s =
  let good = ref (s <> "") in
  String.iter (fun c -> if c < '0' || c > '9' then good := false) s;
  !good
let leads_with_zero s = String.length s > 1 && s.[0] = '0'
let natural place s =
  need (are_digits s && String.length s <= max_digits) place "at most 100000 digits";
  Big.of_string s

let cut at s = match String.index_opt s at with
  | None -> (s, None)
  | Some i -> (String.sub s 0 i, Some (String.sub s (i + 1) (String.length s - i - 1)))

let rational place s =
  let above, below = cut '/' s in
  need (not (List.exists leads_with_zero (above :: Option.to_list below))) place "no leading zero";
  let qden = match below with None -> Big.one | Some b -> natural place b in
  need (Big.ltb Big.zero qden) place "a denominator above 0";
  { Checked.qnum = natural place above; qden }

let decimal place s =
  let number, power = cut 'e' s in
  let whole, part = cut '.' number in
  need (not (leads_with_zero whole)) place "no leading zero";
  need (are_digits whole && (part = None || are_digits (Option.get part))) place "a DECIMAL";
  let part = Option.value part ~default:"" in
  let power = match power with
    | None -> 0
    | Some e ->
      need (String.length e > 1 && e.[0] = '-' && are_digits (String.sub e 1 (String.length e - 1))) place "a DECIMAL";
      let e = String.sub e 1 (String.length e - 1) in
      need (not (leads_with_zero e)) place "no leading zero";
      need (String.length e <= 6 && int_of_string e <= max_digits) place "an exponent of at most 100000";
      int_of_string e in
  let qden = Big.pow (Big.of_int 10) (Big.of_int (String.length part + power)) in
  { Checked.qnum = natural place (whole ^ part); qden }

let at_most (a : Checked.q) (b : Checked.q) = Big.leb (Big.mul a.qnum b.qden) (Big.mul b.qnum a.qden)
let whole k = { Checked.qnum = Big.of_int k; qden = Big.one }

let exponent place s =
  let n = String.length s in
  if n > 4 && String.sub s 0 4 = "log(" && s.[n - 1] = ')' then begin
    let z = rational place (String.sub s 4 (n - 5)) in
    need (at_most (whole 1) z) place "log of at least 1";
    Checked.Log z
  end else begin
    let eps = rational place s in
    need (at_most eps (whole 10_000)) place "a RATIONAL up to 10000";
    Checked.Of eps
  end

(* A JSON number: an integer of at least 1, and at most `most` where that is given. *)
let integer place ?most = function
  | Number s ->
    let k = natural place s in
    need (Big.ltb Big.zero k) place "an integer of at least 1";
    Option.iter (fun most -> need (Big.leb k (Big.of_string most)) place ("at most " ^ most)) most;
    k
  | _ -> bad (place ^ ": expected an integer")

let label place value =
  let s = text place value in
  need (s <> "" && code_points s <= 1000) place "a label of 1 to 1000 code points";
  s

(* ---- numbers for labels ---- *)
let numbering labels =
  let table = Hashtbl.create 64 in
  List.iter (fun x -> if not (Hashtbl.mem table x) then Hashtbl.add table x (Hashtbl.length table)) labels;
  table
let labels table =
  let found = Array.make (Hashtbl.length table) "" in
  Hashtbl.iter (fun x i -> found.(i) <- x) table;
  found
let known place table x = match Hashtbl.find_opt table x with
  | Some i -> i
  | None -> bad (place ^ ": expected a label of the randomizer")
let distinct list = List.length (List.sort_uniq compare list) = List.length list

let multiset place table value =
  List.map (fun (x, k) -> (known place table x, integer place k)) (members place value)

let permutation place table value =
  let moves = List.map (fun (x, y) -> (known place table x, known place table (text place y))) (members place value) in
  let keys = List.map fst moves and values = List.map snd moves in
  need (List.sort compare keys = List.sort compare values) place "a permutation of its keys";
  moves

(* ---- the parts ---- *)
let row place value = match fields place [ "input"; "outputs" ] value with
  | [ input; outputs ] ->
    let output value = match fields (place ^ ".outputs") [ "send"; "p" ] value with
      | [ send; p ] ->
        let p = rational (place ^ ".p") (text (place ^ ".p") p) in
        need (Big.ltb Big.zero p.qnum) (place ^ ".p") "more than zero";
        (List.map (label (place ^ ".send")) (list (place ^ ".send") send), p)
      | _ -> assert false in
    let outputs = List.map output (list (place ^ ".outputs") outputs) in
    need (outputs <> [] && distinct (List.map fst outputs)) (place ^ ".outputs") "outputs, none of them twice";
    (label (place ^ ".input") input, outputs)
  | _ -> assert false

let pair place inputs shuffled n value =
  let keys = [ "from"; "to" ] @ if shuffled then [ "others" ] else [] in
  match fields place keys value with
  | a :: b :: rest ->
    let input at value = known (place ^ at) inputs (label (place ^ at) value) in
    let from = input ".from" a and to0 = input ".to" b in
    need (from <> to0) (place ^ ".to") "another input than from";
    let counts = List.concat_map (multiset (place ^ ".others") inputs) rest in
    let sum = List.fold_left (fun sum (_, k) -> Big.add sum k) Big.zero counts in
    need (not shuffled || Big.equal sum (Big.of_int (n - 1))) (place ^ ".others") "n - 1 inputs";
    let repeat (x, k) = List.init (Big.to_int k) (fun _ -> x) in
    (fun () -> { Checked.from; to0; others = List.concat_map repeat counts })
  | _ -> assert false

let symmetry place inputs messages value = match fields place [ "inputs"; "messages" ] value with
  | [ s; t ] ->
    let messages = permutation (place ^ ".messages") messages t in
    { Checked.inputs = permutation (place ^ ".inputs") inputs s; messages }
  | _ -> assert false

let outcome place messages local value =
  if local then Checked.Tuple (List.map (fun m -> known place messages (label place m)) (list place value))
  else Checked.Counts (List.sort compare (multiset place messages value))

let both_ends place value = match fields place [ "lower"; "upper" ] value with
  | [ lower; upper ] ->
    let read at value = decimal (place ^ at) (text (place ^ at) value) in
    (read ".lower" lower, read ".upper" upper)
  | _ -> assert false

let proof inputs messages shuffled n value = match fields "evidence" [ "symmetries"; "worst" ] value with
  | [ symmetries; worst ] ->
    let place = "evidence.symmetries" in
    let symmetries = List.map (symmetry place inputs messages) (list place symmetries) in
    let single = Hashtbl.length inputs = 1 in
    need ((worst = Null) = single) "evidence.worst" (if single then "null" else "a pair and its delta");
    if worst = Null then fun () -> Checked.Proved (symmetries, None)
    else (match fields "evidence.worst" [ "pair"; "delta" ] worst with
      | [ p; ends ] ->
        let p = pair "evidence.worst.pair" inputs shuffled n p in
        let lower, upper = both_ends "evidence.worst.delta" ends in
        fun () -> Checked.Proved (symmetries, Some ((p (), lower), upper))
      | _ -> assert false)
  | _ -> assert false

let refutation inputs messages view n value = match fields "evidence" [ "pair"; "event" ] value with
  | [ p; event ] ->
    let p = pair "evidence.pair" inputs (view = Checked.Shuffled) n p in
    let local = view = Checked.Local in
    let event = List.map (outcome "evidence.event" messages local) (list "evidence.event" event) in
    let spelled = function
      | Checked.Counts m -> List.map (fun (x, k) -> (x, Big.to_string k)) m
      | Checked.Tuple s -> List.map (fun x -> (x, "")) s in
    need (distinct (List.map spelled event)) "evidence.event" "outcomes that differ";
    fun () -> Checked.Refuted (p (), event)
  | _ -> assert false

let word place words value =
  let s = text place value in
  need (List.mem s words) place (String.concat " or " words);
  s

let read_claim ?(most = "1000000000") value =
  let keys = [ "randomizer"; "adjacency"; "view"; "n"; "datasets"; "eps"; "delta" ] in
  match fields "claim" keys value with
  | [ randomizer; adjacency; view; n; datasets; eps; delta ] ->
    let rows = match fields "claim.randomizer" [ "rows" ] randomizer with
      | [ rows ] ->
        let place = "claim.randomizer.rows" in
        List.mapi (fun i -> row (Printf.sprintf "%s[%d]" place i)) (list place rows)
      | _ -> assert false in
    need (rows <> [] && distinct (List.map fst rows)) "claim.randomizer.rows" "rows whose inputs differ";
    ignore (word "claim.adjacency" [ "replace" ] adjacency);
    ignore (word "claim.datasets" [ "all" ] datasets);
    let sees = match word "claim.view" [ "shuffled"; "preshuffle"; "local" ] view with
      | "shuffled" -> Checked.Shuffled | "preshuffle" -> Checked.Preshuffle | _ -> Checked.Local in
    let users = Big.to_int (integer "claim.n" ~most n) in
    let eps = exponent "claim.eps" (text "claim.eps" eps) in
    let delta = rational "claim.delta" (text "claim.delta" delta) in
    need (at_most delta (whole 1)) "claim.delta" "at most 1";
    let messages = numbering (List.concat_map (fun (_, outputs) -> List.concat_map fst outputs) rows) in
    let number (send, p) = (List.map (Hashtbl.find messages) send, p) in
    let table = List.map (fun (_, outputs) -> List.map number outputs) rows in
    ({ Checked.rows = table; sees; users; eps; delta }, numbering (List.map fst rows), messages)
  | _ -> assert false

(* Of version 2: thresholds. *)
let signed place value =
  let s = text place value in
  let negative = s <> "" && s.[0] = '-' in
  let digits = if negative then String.sub s 1 (String.length s - 1) else s in
  need (are_digits digits && String.length digits <= 1000 && not (leads_with_zero digits)) place "an INTEGER";
  let k = Big.of_string digits in
  if negative then Big.neg k else k

let read_threshold claim evidence =
  let claim, inputs, messages = read_claim ~most:"1000000000000000" claim in
  need (claim.Checked.sees = Shuffled) "claim.view" "shuffled";
  match fields "evidence" [ "pair"; "threshold" ] evidence with
  | [ p; threshold ] ->
    let p = pair "evidence.pair" inputs true claim.users p in
    (match fields "evidence.threshold" [ "weights"; "above" ] threshold with
     | [ weights; above ] ->
       let place = "evidence.threshold.weights" in
       let given = List.map (fun (m, w) -> (known place messages m, signed place w)) (members place weights) in
       let weight m = Option.value (List.assoc_opt m given) ~default:Big.zero in
       let weights = List.init (Hashtbl.length messages) weight in
       let above = signed "evidence.threshold.above" above in
       Threshold (claim, p, { Checked.weights; above }, { inputs = labels inputs; messages = labels messages })
     | _ -> assert false)
  | _ -> assert false

(* Of version 3: covers. *)
let cover inputs value =
  let place = "evidence.cover" in
  let node = function
    | Null -> Checked.Whole
    | List [ x; Number most ] ->
      let input = known place inputs (label place x) and most = natural place most in
      need (Big.leb most (Big.of_string "1000000000000000")) place "at most 10^15";
      Checked.Cut (input, most)
    | _ -> bad (place ^ ": expected one whole tree of cuts and boxes") in
  let nodes = List.map node (list place value) in
  (* how many trees are still to come *)
  let left = List.fold_left (fun left node ->
    need (left > 0) place "one tree";
    match node with Checked.Whole -> left - 1 | Checked.Cut _ -> left + 1) 1 nodes in
  need (left = 0) place "one tree";
  nodes
let read_cover claim evidence =
  let claim, inputs, messages = read_claim ~most:"1000000000000000" claim in
  need (claim.Checked.sees = Shuffled) "claim.view" "shuffled";
  match fields "evidence" [ "cover" ] evidence with
  | [ nodes ] -> Cover (claim, cover inputs nodes, { inputs = labels inputs; messages = labels messages })
  | _ -> assert false

(* Of version 2: counts and histograms. *)
let noise place value =
  let law = match members place value with l -> List.assoc_opt "law" l in
  let law = word (place ^ ".law") [ "binomial"; "poisson"; "negative_binomial"; "discrete_laplace" ]
    (match law with Some law -> law | None -> bad (place ^ ": expected the key law")) in
  let at name value = rational (place ^ "." ^ name) (text (place ^ "." ^ name) value) in
  let positive name value =
    let q = at name value in
    need (Big.ltb Big.zero q.Checked.qnum) (place ^ "." ^ name) "more than zero";
    q in
  let part name value =
    let q = positive name value in
    need (Big.ltb q.Checked.qnum q.qden) (place ^ "." ^ name) "less than 1";
    q in
  match law, fields place ("law" :: (match law with
    | "binomial" -> [ "n"; "p" ] | "poisson" -> [ "lam" ] | "negative_binomial" -> [ "r"; "p" ] | _ -> [ "q" ])) value with
  | "binomial", [ _; n; p ] ->
    let p = at "p" p in
    need (at_most p (whole 1)) (place ^ ".p") "at most 1";
    Checked.Binomial (integer (place ^ ".n") ~most:"1000000000000000" n, p)
  | "poisson", [ _; lam ] -> Checked.Poisson (positive "lam" lam)
  | "negative_binomial", [ _; r; p ] -> Checked.NegativeBinomial (positive "r" r, part "p" p)
  | _, [ _; q ] -> Checked.DiscreteLaplace (part "q" q)
  | _ -> assert false

let read_count ~histogram claim verdict evidence =
  match fields "claim" [ "mechanism"; "adjacency"; "datasets"; "eps"; "delta" ] claim with
  | [ mechanism; adjacency; datasets; eps; delta ] ->
    ignore (word "claim.adjacency" [ "replace" ] adjacency);
    ignore (word "claim.datasets" [ "all" ] datasets);
    let place = "claim.mechanism" in
    let many, most = if histogram then "buckets", "1000000000000000" else "sensitivity", "1000000" in
    (match fields place [ "view"; "noise"; many ] mechanism with
     | [ _; law; size ] ->
       let size = integer (place ^ "." ^ many) ~most size in
       need (not histogram || Big.ltb Big.one size) (place ^ "." ^ many) "at least 2";
       let count_eps = exponent "claim.eps" (text "claim.eps" eps) in
       let count_delta = rational "claim.delta" (text "claim.delta" delta) in
       need (at_most count_delta (whole 1)) "claim.delta" "at most 1";
       let lower, upper = match fields "evidence" [ "delta" ] evidence with
         | [ delta ] -> both_ends "evidence.delta" delta
         | _ -> assert false in
       let law_of = noise (place ^ ".noise") law in
       if histogram then
         let claim =
           { Checked.noise_of = law_of; buckets = size; histogram_eps = count_eps; histogram_delta = count_delta } in
         Histogram (claim, verdict, lower, upper)
       else Count ({ law_of; sensitivity = size; count_eps; count_delta }, verdict, lower, upper)
     | _ -> assert false)
  | _ -> assert false

(* Blankets: the grid's step, and how many cells. *)
let grid evidence =
  let place = "evidence.blanket" in
  match List.concat_map (fields place [ "step"; "cells"; "tilt" ]) (fields "evidence" [ "blanket" ] evidence) with
  | [ step; cells; tilt ] ->
    let step = rational (place ^ ".step") (text (place ^ ".step") step) in
    let tilt = rational (place ^ ".tilt") (text (place ^ ".tilt") tilt) in
    need (Big.ltb Big.zero step.qnum) (place ^ ".step") "more than zero";
    need (not (at_most tilt (whole 1))) (place ^ ".tilt") "more than 1";
    (step, integer (place ^ ".cells") ~most:"4294967296" cells)
  | _ -> assert false
let read_blanket claim evidence =
  let claim, inputs, messages = read_claim ~most:"1000000000000000" claim in
  need (claim.Checked.sees = Shuffled) "claim.view" "shuffled";
  let step, cells = grid evidence in
  Blanket (claim, step, cells, { inputs = labels inputs; messages = labels messages })

(* Of version 3: any randomizer. What refutes is a threshold of the randomizer in the evidence. *)
let read_any claim proved evidence =
  match fields "claim" [ "mechanism"; "adjacency"; "datasets"; "eps"; "delta" ] claim with
  | [ mechanism; adjacency; datasets; eps; delta ] ->
    ignore (word "claim.adjacency" [ "replace" ] adjacency);
    ignore (word "claim.datasets" [ "all" ] datasets);
    let place = "claim.mechanism" in
    (match fields place [ "view"; "local"; "local delta"; "users" ] mechanism with
     | [ _; local; share; users ] ->
       let any_local = exponent (place ^ ".local") (text (place ^ ".local") local) in
       let share = rational (place ^ ".local delta") (text (place ^ ".local delta") share) in
       need (at_most share (whole 1)) (place ^ ".local delta") "at most 1";
       let any_users = integer (place ^ ".users") ~most:"1000000000000000" users in
       let any_eps = exponent "claim.eps" (text "claim.eps" eps) in
       let any_delta = rational "claim.delta" (text "claim.delta" delta) in
       need (at_most any_delta (whole 1)) "claim.delta" "at most 1";
       if proved then begin
         let step, cells = grid evidence in
         if not (Big.equal share.qnum Big.zero) then
           raise (covered "any randomizer: a local delta above 0 is not covered");
         Any ({ any_local; any_users; any_eps; any_delta }, step, cells)
       end else begin
         match fields "evidence" [ "randomizer"; "pair"; "threshold" ] evidence with
         | [ randomizer; pair; threshold ] ->
           let claim = [ "randomizer", randomizer; "adjacency", adjacency; "view", Text "shuffled"; "n", users;
             "datasets", datasets; "eps", eps; "delta", delta ] in
           (match read_threshold (Object claim) (Object [ "pair", pair; "threshold", threshold ]) with
            | Threshold (claim, pair, threshold, names) -> One (any_local, share, claim, pair, threshold, names)
            | _ -> assert false)
         | _ -> assert false
       end
     | _ -> assert false)
  | _ -> assert false

(* Whether it has the keys that say so; all else of versions 2 and 3 is not covered. *)
let is_of view claim =
  let get key = function Object l -> List.assoc_opt key l | _ -> None in
  Option.bind (get "mechanism" claim) (get "view") = Some (Text view)

let read data =
  let tree = parse data in
  let tree = match tree with
    | Object all ->
      List.iter (fun (key, value) -> if key = "note" then ignore (text "note" value)) all;
      Object (List.filter (fun (key, _) -> key <> "note") all)
    | _ -> bad "file: expected an object" in
  match fields "file" [ "format"; "version"; "claim"; "verdict"; "evidence" ] tree with
  | [ format; version; claim; verdict; evidence ] ->
    ignore (word "format" [ "shufflecert certificate" ] format);
    let proved = word "verdict" [ "PROVED"; "REFUTED" ] verdict = "PROVED" in
    let first = match evidence with
      | Object l -> List.mem_assoc "symmetries" l || List.mem_assoc "event" l
      | _ -> true in
    let has key = match evidence with Object l -> List.mem_assoc key l | _ -> false in
    let third = version = Number "3" in
    let number = is_of "count" claim || is_of "histogram" claim in
    let second = version = Number "2" || (third && (number || has "threshold" || has "blanket")) in
    if third && is_of "any randomizer" claim then read_any claim proved evidence
    else if third && has "cover" then begin
      need proved "verdict" "PROVED";
      read_cover claim evidence
    end else if (not second) && List.mem version [ Number "3"; Number "4"; Number "5"; Number "6"; Number "7"; Number "8" ] then
      raise (covered
        "versions 3 to 8 are not covered by the verified kernel but for covers, blankets, counts, thresholds, any randomizer")
    else if second && has "threshold" && not (has "claim") then begin
      need (not proved) "verdict" "REFUTED";
      read_threshold claim evidence
    end else if second && has "blanket" && not (has "claim") then begin
      need proved "verdict" "PROVED";
      read_blanket claim evidence
    end else if second && number then
      read_count ~histogram:(is_of "histogram" claim) claim (if proved then Checked.PROVED else Checked.REFUTED) evidence
    else begin
      if version = Number "2" && not first then
        raise (covered
          "version 2 is not covered by the verified kernel but for counts, histograms, blankets, thresholds");
      need (version = Number "1") "version" "1, or 2 and evidence of version 2";
      let claim, inputs, messages = read_claim claim in
      let shuffled = claim.sees = Checked.Shuffled in
      let evidence =
        if proved then proof inputs messages shuffled claim.users evidence
        else refutation inputs messages claim.sees claim.users evidence in
      Enumeration (claim, evidence, { inputs = labels inputs; messages = labels messages })
    end
  | _ -> assert false
