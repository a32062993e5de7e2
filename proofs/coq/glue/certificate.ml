(* From a certificate to the records that the theorems are about. verify/CERTIFICATE.md defines the form; what is not
   of it is malformed. What there is no theorem about is said to be so, and read no further. Labels become numbers:
   places in the lists of a claim's inputs and messages. *)
open Json

exception Not_covered of string

type grid = Checked.q * Big.t * Big.t option  (* the step, how many cells, and above which place *)
(* Users by input, how many are left open, whose place the user who changes has (None: of one left open), hints. *)
type block = { users : (int * Big.t) list; opens : Big.t; spot : int option; grid : grid option }
type node = Cut of int * Big.t | Leaf of string | Block of block
type entry = { start : int; goal : int; tree : node list; linked : bool }

(* Which theorem decides it. Users are spelled out when they are called for. *)
type t =
  | Each of Checked.crowd * Checked.symmetry list * Words.names
  | Pair of Checked.crowd * (unit -> Checked.pair) * Words.names
  | Outcomes of Checked.crowd * (unit -> Checked.pair) * Checked.outcome list * Words.names
  | Threshold of Checked.crowd * (unit -> Checked.pair) * Checked.threshold * Words.names
  | One of Checked.exponent * Checked.q * Checked.crowd * (unit -> Checked.pair) * Checked.threshold * Words.names
  | Pairwise of Checked.crowd * Checked.symmetry list * (int * Big.t) list list * entry list * Words.names
  | Any of Checked.any_claim * Checked.q * Big.t
  (* independent columns: entries, or a pair *)
  | Columns of wide * entry list * (unit -> Checked.pair) option
  (* what the user holds who changes, in a refutation *)
  | Shifted of Checked.number * (Big.t option * Big.t option) option
  (* what is said of each run and how often it is, whether data are the same, eps, delta, steps and cells of lattices *)
  | Runs of (part * Big.t) list * bool * Checked.exponent * Checked.q * (Checked.q * Big.t) list
  | Broken of (broken * Big.t) list * bool * Checked.exponent * Checked.q * (Checked.q * Big.t) list
(* A claim about columns: how many, if that is said; the numbers of inputs, and the pairs of them that have trees. *)
and wide = { claim : Checked.columns; size : Big.t option; inputs : (string, int) Hashtbl.t; every : (int * int) list }
(* Of one run a number, or columns and their trees. *)
and numbered = A_number of Checked.number | Columns_of of wide * entry list
(* Of one run a pair of neighbours. *)
and broken = Pair_of of Checked.crowd * (unit -> Checked.pair) * Words.names
  | Shift_of of Checked.number * (Big.t option * Big.t option) | Columns_pair of wide * (unit -> Checked.pair)
(* Of one run: delta(log t) of it is at most d, and what shows it; the pairs of laws that it names; what is numbered, at
   all such points or as it is. *)
and part = Points of (Checked.q * Checked.q * t) list | Pairs of t | Curves of ((Checked.q * Checked.q) list * numbered) list
  | Numbered of numbered

let need condition place expected = if not condition then bad (place ^ ": expected " ^ expected)
let no_theorem about = raise (Not_covered ("no theorem yet for " ^ about))

(* ---- values ---- *)
let rec height = function
  | List l -> List.fold_left (fun most x -> max most (1 + height x)) 1 l
  | Object l -> List.fold_left (fun most (_, x) -> max most (1 + height x)) 1 l
  | _ -> 1
let text place = function Text s -> s | _ -> bad (place ^ ": expected a string")
let list place = function List l -> l | _ -> bad (place ^ ": expected a list")
let members place = function Object l -> l | _ -> bad (place ^ ": expected an object")

(* The values of these keys, and of no other; one with ? may be absent. *)
let fields place keys value =
  let found = members place value in
  let plain key = let n = String.length key in if key.[n - 1] = '?' then String.sub key 0 (n - 1) else key in
  let names = List.map plain keys in
  List.iter (fun (key, _) -> need (List.mem key names) place ("no other key than " ^ String.concat ", " names)) found;
  List.iter (fun key -> need (plain key <> key || List.mem_assoc key found) place ("the key " ^ key)) keys;
  List.map (fun key -> List.assoc_opt key found) names

let are_digits s =
  let good = ref (s <> "") in
  String.iter (fun c -> if c < '0' || c > '9' then good := false) s;
  !good
let leads_with_zero s = String.length s > 1 && s.[0] = '0'
let natural place s =
  let good = are_digits s && (not (leads_with_zero s)) && String.length s <= 100_000 in
  need good place "digits, at most 100000, no leading zero";
  Big.of_string s
let cut at s = match String.index_opt s at with
  | None -> (s, None)
  | Some i -> (String.sub s 0 i, Some (String.sub s (i + 1) (String.length s - i - 1)))

(* Of a numerator above 0 where it is said to be `positive`. *)
let of_text ?(positive = false) place s =
  let above, below = cut '/' s in
  let qnum = natural place above in
  let qden = match below with None -> Big.one | Some b -> natural place b in
  need (Big.ltb Big.zero qden) place "a denominator above 0";
  need (not positive || Big.ltb Big.zero qnum) place "more than zero";
  { Checked.qnum; qden }
let rational ?positive place value = of_text ?positive place (text place value)
let probability ?positive place value =
  let q = rational ?positive place value in
  need (Big.leb q.qnum q.qden) place "at most 1";
  q
let exponent place value =
  let s = text place value in
  let n = String.length s in
  if n >= 5 && String.sub s 0 4 = "log(" && s.[n - 1] = ')' then begin
    let z = of_text place (String.sub s 4 (n - 5)) in
    need (Big.leb z.qden z.qnum) place "log of at least 1";
    Checked.Log z
  end else begin
    let eps = of_text place s in
    need (Big.leb eps.qnum (Big.mul (Big.of_int 10_000) eps.qden)) place "a RATIONAL up to 10000";
    Checked.Of eps
  end

let many = "1000000000000000"
let integer ?(least = 1) ?(most = many) place = function
  | Number s when are_digits s && String.length s <= 100 ->
    let k = Big.of_string s in
    need (Big.leb (Big.of_int least) k && Big.leb k (Big.of_string most)) place
      (Printf.sprintf "an integer from %d to %s" least most);
    k
  | _ -> bad (place ^ ": expected an integer")
let signed place value =
  let s = text place value in
  let negative = s <> "" && s.[0] = '-' in
  let digits = if negative then String.sub s 1 (String.length s - 1) else s in
  need (are_digits digits && String.length digits <= 1000 && not (leads_with_zero digits)) place "an INTEGER";
  let k = Big.of_string digits in
  if negative then Big.neg k else k
let label place value =
  let s = text place value in
  need (s <> "" && code_points s <= 1000) place "a label of 1 to 1000 code points";
  s
let word place words value =
  let s = text place value in
  need (List.mem s words) place (String.concat " or " words);
  s

let numbering labels =
  let table = Hashtbl.create 64 in
  List.iter (fun x -> if not (Hashtbl.mem table x) then Hashtbl.add table x (Hashtbl.length table)) labels;
  table
let labels table =
  let found = Array.make (Hashtbl.length table) "" in
  Hashtbl.iter (fun x i -> found.(i) <- x) table;
  found
let known place table value = match Hashtbl.find_opt table (label place value) with
  | Some i -> i
  | None -> bad (place ^ ": expected a label of the randomizer")
let distinct list = List.length (List.sort_uniq compare list) = List.length list
let multiset place table value =
  List.map (fun (x, k) -> (known place table (Text x), integer place k)) (members place value)
let permutation place table value =
  let moves = List.map (fun (x, y) -> (known place table (Text x), known place table y)) (members place value) in
  need (List.sort compare (List.map fst moves) = List.sort compare (List.map snd moves)) place
    "a permutation of its keys";
  moves

(* ---- claims ---- *)
let row place value = match fields place [ "input"; "outputs" ] value with
  | [ Some input; Some outputs ] ->
    let at = place ^ ".outputs" in
    let output value = match fields at [ "send"; "p" ] value with
      | [ Some send; Some p ] ->
        let sent = List.map (label (place ^ ".send")) (list (place ^ ".send") send) in
        (sent, rational ~positive:true (place ^ ".p") p)
      | _ -> assert false in
    let outputs = List.map output (list at outputs) in
    need (outputs <> [] && distinct (List.map fst outputs)) at "outputs, none of them twice";
    (label (place ^ ".input") input, outputs)
  | _ -> assert false

(* The rows, and the numbers of inputs and of messages. *)
let table_of place value =
  let rows = List.mapi (fun i -> row (Printf.sprintf "%s[%d]" place i)) (list place value) in
  need (rows <> [] && distinct (List.map fst rows)) place "rows whose inputs differ";
  let messages = numbering (List.concat_map (fun (_, outputs) -> List.concat_map fst outputs) rows) in
  let number (send, p) = (List.map (Hashtbl.find messages) send, p) in
  (List.map (fun (_, outputs) -> List.map number outputs) rows, numbering (List.map fst rows), messages)
let names inputs messages = { Words.inputs = labels inputs; messages = labels messages }

let laws = [ "binomial", [ "n"; "p" ]; "poisson", [ "lam" ]; "negative binomial", [ "r"; "p" ];
  "discrete Laplace", [ "q"; "bound?" ]; "discrete Gaussian", [ "variance" ] ]
let other_laws = [ "finite"; "sum"; "mixture"; "mod" ]
let longest_modulus = Big.to_string (Big.pow (Big.of_int 2) (Big.of_int 256))
(* A law with numbers for its parameters. *)
let noise place law value =
  let part at value =
    let q = rational ~positive:true at value in
    need (Big.ltb q.Checked.qnum q.qden) place "less than 1";
    q in
  match law, fields place ("law" :: List.assoc law laws) value with
  | "binomial", [ _; Some n; Some p ] ->
    let n = integer (place ^ ".n") n in
    Checked.(Noise (Binomial (n, probability (place ^ ".p") p)))
  | "poisson", [ _; Some lam ] -> Checked.(Noise (Poisson (rational ~positive:true (place ^ ".lam") lam)))
  | "discrete Gaussian", [ _; Some v ] -> Checked.(Bell (Gaussian (rational ~positive:true (place ^ ".variance") v)))
  | "negative binomial", [ _; Some r; Some p ] ->
    let r = rational ~positive:true (place ^ ".r") r in
    Checked.(Noise (NegativeBinomial (r, part (place ^ ".p") p)))
  | _, [ _; Some q; bound ] ->
    let q = part (place ^ ".q") q in
    (match bound with
     | Some bound -> Checked.(Bell (Bounded (q, integer (place ^ ".bound") bound)))
     | None -> Checked.(Noise (DiscreteLaplace q)))
  | _ -> assert false

let adds_to_one weights =
  let add (a, b) (w : Checked.q) = (Big.add (Big.mul a w.qden) (Big.mul w.qnum b), Big.mul b w.qden) in
  let a, b = List.fold_left add (Big.zero, Big.one) weights in
  Big.equal a b
(* A law of numbers: noise, or one that is made of others. *)
let rec number_law place value =
  let given = Option.value (List.assoc_opt "law" (members place value)) ~default:Null in
  let sum_to_one weights = need (adds_to_one weights) place "weights that sum to exactly 1" in
  match word (place ^ ".law") (List.map fst laws @ other_laws) given with
  | "finite" ->
    let shares = match fields place [ "law"; "p" ] value with [ _; Some p ] -> members (place ^ ".p") p | _ -> assert false in
    let found = List.map (fun (k, w) ->
      let k = signed place (Text k) in
      (k, probability ~positive:true place w)) shares in
    sum_to_one (List.map snd found);
    Checked.Finite found
  | "sum" | "mixture" as law ->
    let given = match fields place [ "law"; "of" ] value with [ _; Some given ] -> list (place ^ ".of") given | _ -> assert false in
    need (given <> []) (place ^ ".of") "a list of laws";
    if law = "sum" then Checked.Sum (List.map (number_law (place ^ ".of")) given)
    else begin
      let part given = match list (place ^ ".of") given with
        | [ w; one ] ->
          let w = probability ~positive:true (place ^ ".of") w in
          (w, number_law (place ^ ".of") one)
        | _ -> bad (place ^ ".of: expected pairs of a weight and a law") in
      let found = List.map part given in
      sum_to_one (List.map fst found);
      Checked.Mixture found
    end
  | "mod" ->
    (match fields place [ "law"; "by"; "of" ] value with
     | [ _; Some by; Some one ] ->
       let by = integer ~least:2 ~most:longest_modulus (place ^ ".by") by in
       Checked.Mod (by, number_law (place ^ ".of") one)
     | _ -> assert false)
  | law -> noise place law value

(* What is seen of n users of this kind, so many of them honest. *)
type seen = { kind : string; n : Big.t; honest : Big.t; part : Checked.q; view : Json.t option; each : Json.t;
  added : Json.t option; shown : Json.t option }
let one_whole = { Checked.qnum = Big.one; qden = Big.one }
let read_seen place value =
  match fields place [ "users"; "honest?"; "take part?"; "view?"; "each"; "added?"; "shown?" ] value with
  | [ Some users; honest; part; view; Some each; added; shown ] ->
    let n = integer (place ^ ".users") users in
    let kinds = [ "rows"; "columns"; "one of"; "up to"; "private" ] in
    let given = members (place ^ ".each") each in
    let kind = match List.find_opt (fun kind -> List.mem_assoc kind given) kinds with
      | Some kind -> kind
      | None -> bad (place ^ ".each: expected one of the keys " ^ String.concat ", " kinds) in
    need ((view <> None) = (kind = "rows")) (place ^ ".view") "a view of rows, and of nothing else";
    need (part = None || kind = "rows") (place ^ ".take part") "rows";
    need (added = None || not (List.mem kind [ "rows"; "private" ])) (place ^ ".added") "columns, one of or up to";
    let honest = match honest with
      | None -> n
      | Some honest -> integer ~most:(Big.to_string n) (place ^ ".honest") honest in
    let part = match part with
      | None -> one_whole
      | Some part -> probability ~positive:true (place ^ ".take part") part in
    need (shown = None || List.mem kind [ "columns"; "one of"; "up to" ]) (place ^ ".shown") "columns, one of or up to";
    if kind <> "rows" && not (Big.equal honest n) then no_theorem "honest users who are not all, but of rows";
    { kind; n; honest; part; view; each; added; shown }
  | _ -> assert false

(* What is seen and how often, data, neighbours, eps, delta. *)
let read_claim value = match fields "claim" [ "runs"; "data?"; "neighbours"; "eps"; "delta" ] value with
  | [ Some runs; data; Some neighbours; Some eps; Some delta ] ->
    let run i value =
      let place = Printf.sprintf "claim.runs[%d]" i in
      match fields place [ "seen"; "times" ] value with
      | [ Some seen; Some times ] ->
        let seen = read_seen (place ^ ".seen") seen in
        (seen, integer ~most:"1000000000" (place ^ ".times") times)
      | _ -> assert false in
    let runs = List.mapi run (list "claim.runs" runs) in
    need (runs <> []) "claim.runs" "a run";
    let several = Big.ltb Big.one (List.fold_left (fun sum (_, times) -> Big.add sum times) Big.zero runs) in
    need ((data <> None) = several) "claim.data" "data, just where there are several runs";
    let replaced = match neighbours with
      | Object _ -> false
      | _ -> word "claim.neighbours" [ "replace"; "add-remove" ] neighbours = "replace" in
    let eps = exponent "claim.eps" eps in
    let delta = probability "claim.delta" delta in
    let only kinds = List.for_all (fun (seen, _) -> List.mem seen.kind kinds) runs in
    if not (replaced || only [ "rows" ]) then begin
      let good = neighbours = Text "add-remove" && only [ "one of"; "up to"; "rows" ] in
      need good "claim.neighbours" "replace, of columns and of private users"
    end;
    Option.iter (fun data -> ignore (word "claim.data" [ "same"; "any" ] data)) data;
    need (List.length runs = 1 || replaced) "claim.neighbours" "replace, of several that are seen";
    (runs, data, neighbours, eps, delta)
  | _ -> assert false

(* How the user who changes does. *)
let changes_of inputs = function
  | Text "replace" -> Checked.Replace
  | Text _ -> Checked.AddRemove
  | neighbours -> match fields "claim.neighbours" [ "deletion" ] neighbours with
    | [ Some given ] ->
      let place = "claim.neighbours.deletion" in
      let weight (x, w) =
        let x = known place inputs (Text x) in
        (x, probability ~positive:true place w) in
      let weights = List.map weight (members place given) in
      need (adds_to_one (List.map snd weights)) place "weights that sum to exactly 1";
      Checked.Deletion weights
    | _ -> assert false

(* ---- rows ---- *)
let grid_of ?(more = []) place value = match fields place ([ "step"; "cells"; "tilt" ] @ more) value with
  | Some step :: Some cells :: Some tilt :: rest ->
    let above = match rest with [ above ] -> above | _ -> None in
    let step = rational ~positive:true (place ^ ".step") step in
    let tilt = rational (place ^ ".tilt") tilt in
    need (Big.ltb tilt.qden tilt.qnum) (place ^ ".tilt") "more than 1";
    let cells = integer ~most:"4294967296" (place ^ ".cells") cells in
    (step, cells, Option.map (integer ~most:"4294967296" (place ^ ".above")) above)
  | _ -> assert false

(* For each input, and for whoever is not there, how many of which messages are sure to be sent. *)
let known_of crowd inputs messages value =
  let rows = Array.of_list (Checked.laws_of crowd) in
  let found = Array.make (Array.length rows) [] in
  List.iter (fun (x, sent) ->
    let i = known "because.known" inputs (Text x) in
    let sure = multiset "because.known" messages sent in
    let many m send = Big.of_int (List.length (List.filter (fun x -> x = m) send)) in
    need (List.for_all (fun (send, _) -> List.for_all (fun (m, k) -> Big.leb k (many m send)) sure) rows.(i))
      "because.known" "what is always sent";
    found.(i) <- sure) (members "because.known" value);
  Array.to_list found

let block place inputs value = match fields place [ "users"; "open"; "place"; "grid?" ] value with
  | [ Some users; Some opens; Some spot; grid ] ->
    let users = multiset (place ^ ".users") inputs users in
    let opens = integer ~least:0 (place ^ ".open") opens in
    let spot = match spot with Null -> None | x -> Some (known (place ^ ".place") inputs x) in
    let inside = match spot with None -> Big.ltb Big.zero opens | Some x -> List.mem_assoc x users in
    need inside (place ^ ".place") "who is in the block";
    { users; opens; spot; grid = Option.map (grid_of ~more:[ "above?" ] (place ^ ".grid")) grid }
  | _ -> assert false
let tree_of place inputs shuffled value =
  let left = ref 1 in  (* how many trees are still to come *)
  let node value =
    need (!left > 0) place "one whole tree";
    match value with
    | List cut ->
      (match cut with
       | [ x; most ] ->
         let x = known place inputs x in
         let most = integer ~least:0 place most in
         incr left;
         Cut (x, most)
       | _ -> bad (place ^ ": expected a cut [LABEL, most]"))
    | Object _ ->
      need shuffled place "a block in the shuffled view only";
      let found = Block (block place inputs value) in
      decr left;
      found
    | _ ->
      let leaf = word place [ "each"; "corner" ] value in
      decr left;
      Leaf leaf in
  let found = List.map node (list place value) in
  need (!left = 0) place "one whole tree";
  found

let moved s x = Option.value (List.assoc_opt x s) ~default:x
(* The number of an input, or that after the last one. *)
let end_ place inputs (crowd : Checked.crowd) = function
  | Null when crowd.changes <> Checked.Replace -> Hashtbl.length inputs
  | value -> known place inputs value
let neighbours (crowd : Checked.crowd) inputs a b = Checked.moves_so crowd.changes (Hashtbl.length inputs) a b
(* The same node of a tree, where inputs have other names. *)
let renamed s = function
  | Cut (x, most) -> Cut (moved s x, most)
  | Block b -> Block { b with users = List.map (fun (x, k) -> (moved s x, k)) b.users; spot = Option.map (moved s) b.spot }
  | leaf -> leaf

(* One pair; `before` are those that come before it. *)
let entry place inputs (crowd : Checked.crowd) renamings before value =
  let linked = List.mem_assoc "same as" (members place value) in
  let keys = if linked then [ "from"; "to"; "same as"; "by" ] else [ "from"; "to"; "tree"; "up to?" ] in
  match fields place keys value with
  | [ Some a; Some b; Some first; second ] ->
    let start = end_ (place ^ ".from") inputs crowd a in
    let goal = end_ (place ^ ".to") inputs crowd b in
    if linked then begin
      let i = integer ~least:0 (place ^ ".same as") first in
      let k = integer ~least:0 (place ^ ".by") (Option.get second) in
      let below k most = Big.ltb k (Big.of_int most) in
      need (below i (Hashtbl.length before) && below k (Array.length renamings)) place
        "an entry before it, by a renaming";
      let base = Hashtbl.find before (Big.to_int i) and s = fst renamings.(Big.to_int k) in
      need (not base.linked && moved s base.start = start && moved s base.goal = goal) place
        "a pair that the renaming moves to it";
      { start; goal; tree = List.map (renamed s) base.tree; linked }
    end else begin
      let tree = tree_of (place ^ ".tree") inputs (crowd.shown_as = Checked.Shuffled) first in
      let at = place ^ ".up to" in
      List.iter (fun k ->
        let k = integer ~least:0 at k in
        need (Big.ltb k (Big.of_int (Array.length renamings))) at "renamings that are listed";
        let s = fst renamings.(Big.to_int k) in
        need (moved s start = start && moved s goal = goal) at "renamings that leave from and to")
        (match second with None -> [] | Some l -> list at l);
      { start; goal; tree; linked }
    end
  | _ -> assert false

(* Equality of trees whose numbers are Big.t, which is not to be compared structurally in a browser. *)
let same_grid g h = match g, h with
  | None, None -> true
  | Some ((s : Checked.q), c, a), Some ((t : Checked.q), d, b) ->
    let same = match a, b with Some a, Some b -> Big.equal a b | None, None -> true | _ -> false in
    Big.equal s.qnum t.qnum && Big.equal s.qden t.qden && Big.equal c d && same
  | _ -> false
let same_node x y = match x, y with
  | Cut (x, m), Cut (y, k) -> x = y && Big.equal m k
  | Leaf x, Leaf y -> x = y
  | Block b, Block d ->
    let same (x, k) (y, l) = x = y && Big.equal k l in
    List.length b.users = List.length d.users && List.for_all2 same b.users d.users && Big.equal b.opens d.opens &&
    b.spot = d.spot && same_grid b.grid d.grid
  | _ -> false
let same_tree t u = List.length t = List.length u && List.for_all2 same_node t u

(* What rows keep: which theorem decides it. *)
let read_proof (crowd : Checked.crowd) inputs messages value =
  match fields "because" [ "renamings?"; "known?"; "pairs" ] value with
  | [ renamed; sure; Some pairs ] ->
    let sent = known_of crowd inputs messages (Option.value sure ~default:(Object [])) in
    let place = "because.renamings" in
    let renaming value = match fields place [ "inputs"; "messages" ] value with
      | [ Some s; Some t ] ->
        let s = permutation (place ^ ".inputs") inputs s in
        (s, permutation (place ^ ".messages") messages t)
      | _ -> assert false in
    let renamings = List.map renaming (match renamed with None -> [] | Some l -> list place l) in
    let shuffled = crowd.shown_as = Checked.Shuffled and before = Hashtbl.create 64 in
    let all = Array.of_list renamings in
    let found = List.mapi (fun i value ->
      let one = entry (Printf.sprintf "because.pairs[%d]" i) inputs crowd all before value in
      Hashtbl.add before i one;
      one) (list "because.pairs" pairs) in
    let ends = List.map (fun one -> (one.start, one.goal)) found and many = Hashtbl.length inputs in
    let replaced = match crowd.changes with Checked.Replace -> true | _ -> false in
    need (distinct ends && List.for_all (fun (a, b) -> neighbours crowd inputs a b) ends &&
        List.length ends = if replaced then many * (many - 1) else 2 * many)
      "because.pairs" "every ordered pair, once";
    let symmetries = List.map (fun (inputs, messages) -> { Checked.inputs; messages }) renamings in
    let names = names inputs messages and trees = List.map (fun one -> one.tree) found in
    if replaced && ((not shuffled) || List.for_all (fun tree -> tree = [ Leaf "each" ]) trees) then
      Each (crowd, symmetries, names)
    else Pairwise (crowd, symmetries, sent, found, names)
  | _ -> assert false

(* A pair of neighbours and the other users, who are spelled out when it is called for. *)
let beside inputs from to0 others users =
  let counts = multiset "because.pair.others" inputs others in
  let total = List.fold_left (fun sum (_, k) -> Big.add sum k) Big.zero counts in
  need (Big.equal total (Big.of_int (users - 1))) "because.pair.others" "honest - 1 inputs";
  let spelled (x, k) = List.init (Big.to_int k) (fun _ -> x) in
  fun () -> { Checked.from; to0; others = List.concat_map spelled counts }
let read_pair (crowd : Checked.crowd) inputs value =
  let shuffled = crowd.shown_as = Checked.Shuffled and place = "because.pair" in
  match fields place ([ "from"; "to" ] @ if shuffled then [ "others" ] else []) value with
  | Some a :: Some b :: rest ->
    let from = end_ (place ^ ".from") inputs crowd a in
    let to0 = end_ (place ^ ".to") inputs crowd b in
    need (neighbours crowd inputs from to0) (place ^ ".to") "another input than from, or that nobody is there";
    (match rest with
     | [ Some others ] -> beside inputs from to0 others crowd.honest
     | _ -> fun () -> { Checked.from; to0; others = [] })
  | _ -> assert false
let weights_of messages value = match fields "because.event" [ "weights"; "above" ] value with
  | [ Some weights; Some above ] ->
    let place = "because.event.weights" in
    let given = Hashtbl.create 64 in
    List.iter (fun (m, w) ->
      let m = known place messages (Text m) in
      Hashtbl.replace given m (signed place w)) (members place weights);
    let weight m = Option.value (Hashtbl.find_opt given m) ~default:Big.zero in
    let weights = List.init (Hashtbl.length messages) weight in
    { Checked.weights; above = signed "because.event.above" above }
  | _ -> assert false

(* What rows do not keep: which theorem decides it. *)
let read_refutation (crowd : Checked.crowd) inputs messages value =
  match fields "because" [ "pair"; "event?" ] value with
  | [ Some given; event ] ->
    let shuffled = crowd.shown_as = Checked.Shuffled and local = crowd.shown_as = Checked.Local in
    let names = names inputs messages and p = read_pair crowd inputs given in
    let place = "because.event" in
    (match event with
     | None -> Pair (crowd, p, names)
     | Some event when List.mem_assoc "outcomes" (members place event) ->
       let outcomes = match fields place [ "outcomes" ] event with
         | [ Some outcomes ] -> list place outcomes
         | _ -> assert false in
       let outcome value =
         if local then Checked.Tuple (List.map (known place messages) (list place value))
         else begin
           let order (x, _) (y, _) = compare (x : int) y in
           Checked.Counts (List.sort order (multiset place messages value))
         end in
       let found = List.map outcome outcomes in
       let spelled = function
         | Checked.Counts m -> List.map (fun (x, k) -> (x, Big.to_string k)) m
         | Checked.Tuple s -> List.map (fun x -> (x, "")) s in
       need (distinct (List.map spelled found)) place "outcomes that differ";
       Outcomes (crowd, p, found, names)
     | Some event ->
       let threshold = weights_of messages event in
       need shuffled place "outcomes, outside the shuffled view";
       Threshold (crowd, p, threshold, names))
  | _ -> assert false

(* All n users are honest, take part, and may be replaced. *)
let crowd_of each n crowd_eps crowd_delta = { Checked.each; takes = one_whole; changes = Replace; shown_as = Shuffled;
  all_users = n; honest = Big.to_int n; crowd_eps; crowd_delta }
let read_rows seen around eps delta proved because = match fields "claim.each" [ "rows" ] seen.each with
  | [ Some rows ] ->
    let rows, inputs, messages = table_of "claim.rows" rows in
    let shown_as = match word "claim.view" [ "shuffled"; "preshuffle"; "local" ] (Option.get seen.view) with
      | "shuffled" -> Checked.Shuffled | "preshuffle" -> Checked.Preshuffle | _ -> Checked.Local in
    let changes = changes_of inputs around in
    let crowd = { (crowd_of rows seen.honest eps delta) with takes = seen.part; changes; shown_as; all_users = seen.n } in
    (if proved then read_proof else read_refutation) crowd inputs messages because
  | _ -> assert false

(* ---- numbers, one of, any randomizer ---- *)
let only place key value = match fields place [ key ] value with [ Some found ] -> found | _ -> assert false
(* What he holds who changes, in both datasets: a number, or nothing. *)
let ends_of (claim : Checked.number) value =
  let place = "because.pair" and comes = claim.arrives in
  match fields place [ "from"; "to" ] value with
  | [ Some i; Some j ] ->
    let held = function Null when comes -> None | k -> Some (signed place k) in
    let i = held i in
    let j = held j in
    let inside = function Some k -> Big.leb Big.zero k && Big.leb k claim.largest | None -> true in
    let there = match i, j with Some a, Some b -> not (comes || Big.equal a b) | None, None -> false | _ -> comes in
    need (inside i && inside j && there) place "neighbours";
    (i, j)
  | _ -> assert false
let number_claim seen around number_eps number_delta = match fields "claim.each" [ "up to"; "plus?" ] seen.each with
  | [ Some most; plus ] ->
    let largest = integer ~most:"1000000" "claim.up to" most and arrives = around = Text "add-remove" in
    let each_adds = Option.map (number_law "claim.law") plus in
    let once_added = Option.map (number_law "claim.law") seen.added in
    let shown_mod = Option.map (fun shown -> match fields "claim.shown" [ "mod" ] shown with
      | [ Some by ] -> integer ~least:2 ~most:longest_modulus "claim.shown" by
      | _ -> assert false) seen.shown in
    { Checked.largest; each_adds; once_added; shown_mod; arrives; number_users = Big.to_int seen.n; number_eps; number_delta }
  | _ -> assert false
let read_up_to seen around eps delta proved because =
  let claim = number_claim seen around eps delta in
  if proved then begin
    ignore (fields "because" [] because);
    Shifted (claim, None)
  end else Shifted (claim, Some (ends_of claim (only "because" "pair" because)))

(* Laws, each once, and the place of each of those given. *)
let numbered given =
  let places = Hashtbl.create 16 and kept = ref [] in
  let place law = match Hashtbl.find_opt places law with
    | Some i -> i
    | None ->
      let i = Hashtbl.length places in
      Hashtbl.add places law i;
      kept := law :: !kept;
      i in
  let numbers = List.map place given in
  (List.map (number_law "claim.law") (List.rev !kept), numbers)
(* From which number on a sum is shown. *)
let shown_from = Option.map (fun shown -> match fields "claim.shown" [ "from" ] shown with
  | [ Some k ] -> integer "claim.shown" k
  | _ -> assert false)
(* The number of an input; who is not there is as one on another column. *)
let column_end place inputs comes value =
  need (not comes || value = Null || value = Text "a") place "a or null";
  if comes && value = Null then 1 else known place inputs value
(* The entries of a PROOF of columns, in which every one of these pairs has a tree. *)
let column_entries { inputs; every; claim; _ } because =
  let comes = claim.arriving in
  let entry i given =
    let place = Printf.sprintf "because.pairs[%d]" i in
    match fields place [ "from"; "to"; "tree" ] given with
    | [ Some a; Some b; Some tree ] ->
      let start = column_end place inputs comes a in
      let goal = column_end place inputs comes b in
      { start; goal; tree = tree_of (place ^ ".tree") inputs false tree; linked = false }
    | _ -> assert false in
  let pairs = List.concat_map (fun pairs -> list "because.pairs" (Option.get pairs)) (fields "because" [ "pairs" ] because) in
  let found = List.mapi entry pairs in
  let ends = List.sort compare (List.map (fun one -> (one.start, one.goal)) found) in
  need (ends = List.sort compare every) "because.pairs" "every ordered pair, once";
  found
let column_pair { inputs; claim; _ } given =
  let place = "because.pair" in
  match fields place [ "from"; "to"; "others" ] given with
  | [ Some a; Some b; Some others ] ->
    let from = column_end place inputs claim.arriving a in
    let to0 = column_end place inputs claim.arriving b in
    need (from <> to0) place "neighbours";
    beside inputs from to0 others claim.column_users
  | _ -> assert false

(* Of which each user holds one. *)
let one_of_claim { n; each; added; shown; _ } around eps delta =
  match fields "claim.each" [ "one of"; "held"; "other" ] each with
  | [ Some many; Some held; Some other ] ->
    let size = if many = Text "any number" then None else Some (integer ~least:2 "claim.one of" many) in
    let three = match size with Some d -> Big.ltb (Big.of_int 2) d | None -> true in
    let arriving = around = Text "add-remove" in
    let inputs = numbering (if arriving then [ "a"; "other" ] else [ "a"; "b" ] @ if three then [ "other" ] else []) in
    let number_laws, places = numbered (held :: other :: Option.to_list added) in
    let nothing = function Checked.Finite [ (k, w) ] -> Big.equal k Big.zero && Big.equal w.qnum w.qden | _ -> false in
    if arriving && not (nothing (number_law "claim.other" other)) then
      no_theorem "users who come or go and bring something to columns that are not theirs";
    let held, other, added_law = match places with
      | [ a; b ] -> (a, b, None)
      | [ a; b; c ] -> (a, b, Some c)
      | _ -> assert false in
    let claim = { Checked.number_laws; draws = OneOf (held, other); added_law; column_users = Big.to_int n;
      shown_from = shown_from shown; arriving; columns_eps = eps; columns_delta = delta } in
    { claim; size; inputs; every = (0, 1) :: if arriving then [ (1, 0) ] else [] }
  | _ -> assert false

let listed_claim { n; each; added; shown; _ } columns_eps columns_delta =
  match fields "claim.each" [ "columns" ] each with
  | [ Some columns ] ->
    let table = List.map (fun (x, laws) ->
      let x = label "claim.columns" (Text x) in
      (x, list "claim.columns" laws)) (members "claim.columns" columns) in
    let wide = List.sort_uniq compare (List.map (fun (_, laws) -> List.length laws) table) in
    need (List.length wide = 1 && not (List.mem 0 wide)) "claim.columns" "inputs of equally many columns";
    let number_laws, places = numbered (List.concat_map snd table @ Option.to_list added) in
    let rest = ref places in
    let next _ = match !rest with [] -> assert false | i :: more -> rest := more; i in
    let rows = List.map (fun (_, laws) -> List.map next laws) table in
    let added_law = match !rest with [] -> None | i :: _ -> Some i in
    let claim = { Checked.number_laws; draws = Table rows; added_law; column_users = Big.to_int n;
      shown_from = shown_from shown; arriving = false; columns_eps; columns_delta } in
    let names = List.init (List.length table) Fun.id in
    let every = List.concat_map (fun a -> List.filter_map (fun b -> if a = b then None else Some (a, b)) names) names in
    { claim; size = None; inputs = numbering (List.map fst table); every }
  | _ -> assert false
let wide_claim seen around = if seen.kind = "one of" then one_of_claim seen around else listed_claim seen
let read_columns seen around eps delta proved because =
  let wide = wide_claim seen around eps delta in
  if proved then Columns (wide, column_entries wide because, None)
  else Columns (wide, [], Some (column_pair wide (only "because" "pair" because)))

let read_private n each any_eps any_delta proved because =
  let given = List.concat_map (fun given -> list "claim.private" (Option.get given)) (fields "claim.each" [ "private" ] each) in
  need (List.length given = 2) "claim.private" "EPS, RATIONAL";
  let any_local = exponent "claim.private" (List.nth given 0) in
  let share = probability "claim.private" (List.nth given 1) in
  if proved then match fields "because" [ "grid" ] because with
    | [ Some grid ] ->
      let step, cells, _ = grid_of "because.grid" grid in
      Any ({ any_local; any_share = share; any_users = n; any_eps; any_delta }, step, cells)
    | _ -> assert false
  else match fields "because" [ "rows"; "pair"; "event?" ] because with
    | [ Some rows; Some pair; event ] ->
      let rows, inputs, messages = table_of "because.rows" rows in
      let crowd = crowd_of rows n any_eps any_delta in
      let p = read_pair crowd inputs pair in
      (match event with
       | Some event when not (List.mem_assoc "outcomes" (members "because.event" event)) ->
         One (any_local, share, crowd, p, weights_of messages event, names inputs messages)
       | _ -> no_theorem "any randomizer, refuted by more than a threshold")
    | _ -> assert false

(* ---- several runs ---- *)
let point place value = match list place value with
  | [ t; d; proof ] ->
    let t = rational place t in
    let d = probability place d in
    need (Big.leb t.qden t.qnum) place "t of at least 1";
    (t, d, proof)
  | _ -> bad (place ^ ": expected [t, d, PROOF]")
let any_eps = Checked.Log one_whole
(* What a number, or columns, keep in one of several runs. *)
let read_numbered seen around because =
  if seen.kind = "up to" then begin
    ignore (fields "because" [] because);
    A_number (number_claim seen around any_eps one_whole)
  end else begin
    let wide = wide_claim seen around any_eps one_whole in
    Columns_of (wide, column_entries wide because)
  end
let rec grouped = function
  | [] -> []
  | (t, d, proof) :: more -> match grouped more with
    | (some, one) :: rest when one = proof -> ((t, d) :: some, one) :: rest
    | rest -> ([ (t, d) ], proof) :: rest
let read_part place seen same around part =
  if List.mem_assoc "points" (members place part) then begin
    let given = List.map (point (place ^ ".points")) (list place (only place "points" part)) in
    need (given <> []) place "a point";
    let each one = Points (List.map (fun (t, d, proof) -> (t, d, one (Checked.Log t) d true proof)) given) in
    if seen.kind = "private" then each (read_private seen.n seen.each)
    else if seen.kind = "rows" then each (read_rows seen around)
    else Curves (List.map (fun (some, proof) -> (some, read_numbered seen around proof)) (grouped given))
  end else begin
    need (same && seen.kind <> "private") place "points, where pairs differ from run to run";
    if seen.kind <> "rows" then Numbered (read_numbered seen around part)
    else Pairs (read_rows seen around any_eps one_whole true part)
  end
(* A pair of neighbours of one of the runs. *)
let read_broken place seen around part =
  let pair = only place "pair" part in
  need (seen.kind <> "private") place "no private users";
  match seen.kind with
  | "rows" -> (match read_rows seen around any_eps one_whole false part with
    | Pair (crowd, p, names) -> Pair_of (crowd, p, names)
    | _ -> assert false)
  | "up to" ->
    let claim = number_claim seen around any_eps one_whole in
    Shift_of (claim, ends_of claim pair)
  | _ ->
    let wide = wide_claim seen around any_eps one_whole in
    Columns_pair (wide, column_pair wide pair)
let read_runs runs same around eps delta proved because =
  match fields "because" [ "runs"; "lattices" ] because with
  | [ Some parts; Some lattices ] ->
    let lattice i value =
      let place = Printf.sprintf "because.lattices[%d]" i in
      match fields place [ "step"; "cells" ] value with
      | [ Some step; Some cells ] ->
        let step = rational (place ^ ".step") step in
        need (Big.ltb step.qden step.qnum) (place ^ ".step") "more than 1";
        (step, integer ~least:2 ~most:"16777216" (place ^ ".cells") cells)
      | _ -> assert false in
    let grids = List.mapi lattice (list "because.lattices" lattices) and parts = list "because.runs" parts in
    need (grids <> []) "because.lattices" "a lattice";
    need (List.length parts = List.length runs) "because.runs" "a part for each of the claim's runs";
    let numbered = List.mapi (fun i (run, part) -> (i, run, part)) (List.combine runs parts) in
    let each one = List.map (fun (i, (seen, times), part) -> (one (Printf.sprintf "because.runs[%d]" i) seen part, times)) numbered in
    if proved then Runs (each (fun place seen -> read_part place seen same around), same, eps, delta, grids)
    else Broken (each (fun place seen -> read_broken place seen around), same, eps, delta, grids)
  | _ -> assert false

(* ---- certificates ---- *)
let read tree = match fields "file" [ "format"; "note?"; "claim"; "verdict"; "because" ] tree with
  | [ Some format; note; Some claim; Some said; Some because ] ->
    ignore (word "format" [ "shufflecert certificate" ] format);
    Option.iter (fun note -> ignore (text "note" note)) note;
    let proved = word "verdict" [ "PROVED"; "REFUTED" ] said = "PROVED" in
    (match read_claim claim with
     | runs, Some data, around, eps, delta -> read_runs runs (data = Text "same") around eps delta proved because
     | runs, None, around, eps, delta ->
       let seen, _ = List.hd runs in
       match seen.kind with
       | "rows" -> read_rows seen around eps delta proved because
       | "private" -> read_private seen.n seen.each eps delta proved because
       | "up to" -> read_up_to seen around eps delta proved because
       | _ -> read_columns seen around eps delta proved because)
  | _ -> assert false

(* The trees of a file's certificates. *)
let certificates tree =
  need (height tree <= 100) "file" "nesting at most 100 deep";
  match tree with
  | List all ->
    need (all <> [] && List.compare_length_with all 100_000 <= 0) "file" "1 to 100000 certificates";
    all
  | one -> [ one ]
