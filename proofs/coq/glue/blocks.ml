(* Hints for covers with blocks of users, from the trees of a certificate; a bad hint makes the checker refuse. *)
open Checked
open Hints
module List = Json.List

let exact_bits = 600 and most_grid = two 20  (* of a block's weights that are not rounded; cells *)
exception No_block
let most_block = 3e8  (* steps *)

(* What all trees of a claim have in common: classes, and what inputs are known to send, as keys. *)
type shared = { claim : claim; unit : Big.t; polys : poly list; rows : poly array; classes : int list; first : int array;
  sure : Big.t array; far : Big.t; whole : box; power : float; most : float list; common : poly Lazy.t }

let absolute k = Big.max k (Big.neg k)
let shared (claim : claim) real (s : sizes) polys sent =
  let first = Array.of_list (List.mapi (fun x _ -> rep polys x) polys) and rows = Array.of_list polys in
  let sure = Array.make (Array.length first) Big.zero in
  List.iteri (fun x have ->
    let key total (m, k) = Big.add total (Big.mul k (Big.pow (two 1) (Big.mul s.key_bits (Big.of_int m)))) in
    let own = List.fold_left key Big.zero have and one = first.(x) in
    sure.(x) <- if one = x then own
      else Big.add sure.(one) (Big.sub (first_key rows.(x)) (first_key rows.(one)))) sent;
  let over m x f = List.fold_left (fun m (k, _) -> Big.max m (absolute (Big.sub k sure.(x)))) m f in
  let far = snd (List.fold_left (fun (x, m) f -> (x + 1, over m x f)) (0, Big.zero) polys) in
  let classes = classes_of polys in
  let whole = reserved real classes (Big.sub (Big.of_int claim.users) Big.one) in
  let a, b = from_below claim.eps (precision claim.eps 64) in
  let common = lazy (in_common (List.init real (fun x -> shifted sure.(x) rows.(x)))) in
  { claim; unit = s.unit_of; polys; rows; classes; first; sure; far; whole; power = ratio { qnum = a; qden = b };
    most = List.map fst (reaches claim.rows); common }

let place t x = Tail.position t.first.(x) t.classes
(* f of every leaf and its corner (None where the box is empty); `cut` says which nodes are cuts *)
let over_leaves t cut leaf tree =
  let total = Big.sub (Big.of_int t.claim.users) Big.one in
  let boxes = ref [ t.whole ] in
  List.map (fun node -> match !boxes with
    | [] -> raise No_block
    | box :: rest ->
      (match cut node with
       | Some (x, most) ->
         let at = place t x in
         let inside = cut_at true at most box in
         boxes := inside :: cut_at false at most box :: rest;
         leaf node None
       | None ->
         boxes := rest;
         leaf node (if none total box then None else Some (corner total box)))) tree

(* Of a block's laws, user by user. *)
let block_work t size opens =
  let keys = List.sort_uniq Big.compare (List.concat_map (List.map fst) t.polys) in
  let kinds = float_of_int (List.length keys + if opens > 0 then 1 else 0) and n = float_of_int size in
  let terms = float_of_int (1 + List.fold_left (fun m f -> max m (List.length f)) 0 t.polys) in
  let wide = (80. *. sqrt n) ** Float.max 1. (Float.min (kinds -. 1.) 40.) in
  let on_line = match steps_of_polys t.polys with
    | Some (_, span) -> ((n *. float_of_int span) +. 2.) *. float_of_int (opens + 1)
    | None -> Float.infinity in
  let sums = outcomes_of t.claim.rows n t.most kinds *. float_of_int (opens + 1) in
  n *. terms *. Float.min on_line (Float.min (Float.min (multisets n kinds) sums) wide)

(* The law of a sum of two that are drawn independently. *)
let plus law other =
  let sums = List.concat_map (fun (k, w) -> List.map (fun (m, v) -> (Big.add k m, w *. v)) other) law in
  let gather found (k, w) = match found with
    | (l, v) :: rest when Big.equal k l -> (l, v +. w) :: rest
    | _ -> (k, w) :: found in
  List.fold_left gather [] (List.sort (fun (k, _) (m, _) -> Big.compare k m) sums)

(* The highest loss of a block or 0, how far losses are apart, and their mean square, about. *)
let losses t (entry : entry) spot mates opens half moved floor =
  let about f = List.map (fun (k, w) -> (k, ratio { qnum = w; qden = t.unit })) f in
  let row x = about (shifted t.sure.(x) t.rows.(x)) in
  let drawn = about (with_drawn half t.unit (Lazy.force t.common)) in
  let rec times k f law = if k = 0 then law else times (k - 1) f (plus law f) in
  let add law k x = if Big.equal k Big.zero then law else times (Big.to_int k) (row x) law in
  let others = times opens drawn (List.fold_left2 add [ (Big.zero, 1.) ] mates t.classes) in
  let seen = plus others (match spot with None -> drawn | Some x -> row t.first.(x)) in
  let sent x = plus others (about (shifted moved t.rows.(x))) in
  let rec from k = function (l, _) :: rest when Big.ltb k l -> from k rest | law -> law in  (* keys fall *)
  let weight k = function (l, w) :: _ when Big.equal k l -> w | _ -> 0. in
  let add (p, q, found) (k, s) =
    let p = from k p and q = from k q in
    let below = weight k q in
    let loss () = Float.max ((weight k p -. if below > 0. then t.power *. below else 0.) /. s) floor in
    (p, q, if s > 0. then (loss (), s) :: found else found) in
  let _, _, found = List.fold_left add (sent entry.goes_from, sent entry.goes_to, []) seen in
  let high = List.fold_left (fun m (l, _) -> Float.max m l) 0. found and low = List.fold_left (fun m (l, _) -> Float.min m l) 0. found in
  (high, (high -. low, List.fold_left (fun sum (l, s) -> sum +. (s *. l *. l)) 0. found))

(* What a block's user who changes is known to send, and the furthest that anything is beside what is known. *)
let ends t (entry : entry) b =
  let moved_by = t.sure.(match b.block_place with Some x -> x | None -> entry.goes_from) in
  let both = List.map (fun x -> t.rows.(x)) [ entry.goes_from; entry.goes_to ] in
  let far m f = List.fold_left (fun m (k, _) -> Big.max m (absolute (Big.sub k moved_by))) m f in
  moved_by, List.fold_left far t.far both

(* A block, of which there are so many. *)
let block t (entry : entry) b mates opens size many_blocks bits =
  let moved_by, reach_of = ends t entry b in
  let half_of = Big.add (Big.mul (Big.of_int size) reach_of) Big.one in
  let work = block_work t size opens in
  begun work most_block;
  let several = Big.ltb Big.one many_blocks in
  let block_way, floor_at, most_at = match b.block_grid with
    | Some { grid_by = step; grid_cells = cells; grid_above = above } when several ->
      if Big.ltb most_grid cells || (above = None && b.block_place = None && opens > 0) then raise (Too_much "a grid of so many cells");
      let height = Option.value above ~default:cells in
      let high = Float.max 1. (ratio step *. to_float height) in
      let floor = match above with Some above -> Big.add (Big.sub above cells) Big.one | None -> Big.neg cells in
      let far = to_float cells *. ratio step in
      let highest, (span, square) = if work > small_work then (far, (far, far *. far))
        else losses t entry b.block_place mates opens half_of moved_by (to_float floor *. ratio step) in
      (* where none is above 0 all losses are as well 0, of which sums take one place *)
      let wide = places many_blocks (span, square) bits step > most_placed in
      let none = highest = 0. && Big.ltb floor Big.zero && wide in
      let floor = if none then Big.zero else floor and found = if none then (0., 0.) else (span, square) in
      begun (places many_blocks found bits step) most_placed;
      grid_way bits step cells (to_float many_blocks *. high), Some floor, above
    | _ -> { grid_step = (Big.one, Big.one); bits_of = Big.of_int 8; clip_at = Big.zero }, None, Some (Big.neg (two 4096)) in
  let block_round, doubled =
    if (size - 1) * Big.numbits t.unit <= exact_bits then None, None
    else begin
      let h = rounded t.claim.eps size bits in
      let line = if opens = 0 && b.block_place <> None then steps_of_polys t.polys else None in
      let apart, span = Option.value line ~default:(Big.one, -1) in
      let places = if span < 0 then 0 else min 1_000_000_000 ((size * span) + 2) in
      let line_of = { apart; places } in
      Some { prec_of = h.precise; fine_of = h.fine; cut_of = h.cut; line_of },
      Option.map (fun _ -> Big.numbits (Big.of_int size) + 1) line
    end in
  { mates; opens; spot = b.block_place; many_blocks; moved_by; half_of; reach_of; block_way; floor_at; most_at; block_round; doubled }

let leaf single t entry bits node corner = match node, corner with
  | Cut (x, most), _ -> Split (x, most)
  | _, None | AsCorner, _ -> Here Corner
  | AsEach, Some m ->  (* a single composition is its corner *)
    let alone = Big.equal (List.fold_left Big.add Big.one m) (Big.of_int t.claim.users) in
    Here (if alone then Corner else Each)
  | AsBlock b, Some m ->
    let wanted = Array.make (List.length m) Big.zero and spot = Option.map (place t) b.block_place in
    List.iter (fun (x, k) -> wanted.(place t x) <- Big.add wanted.(place t x) k) b.block_users;
    let size = Array.fold_left Big.add b.block_open wanted in
    let there = List.mapi (fun i k -> if spot = Some i then Big.add k Big.one else k) m in
    let least a b = if Big.ltb b a then b else a in
    let many = List.fold_left least (Big.div (Big.of_int t.claim.users) size)
      (List.concat (List.mapi (fun i have -> if Big.ltb Big.zero wanted.(i) then [ Big.div have wanted.(i) ] else []) there)) in
    if Big.ltb many Big.one then raise No_block;
    Option.iter (fun i -> wanted.(i) <- Big.sub wanted.(i) Big.one) spot;
    let mates = Array.to_list wanted and one = Big.equal many Big.one || b.block_grid = None in
    if single && not one then Json.bad "because.runs: expected no blocks with a grid";
    if one && Big.equal b.block_open Big.zero then Here (Fewer mates)
    else begin
      let opens = Big.to_int b.block_open - if spot = None then 1 else 0 in
      Here (Blocked (block t entry b mates opens (Big.to_int size) (if one then Big.one else many) bits))
    end

(* Equality of trees whose numbers are Big.t, which is not to be compared structurally in a browser. *)
let same_grid g h =
  let same_above = match g.grid_above, h.grid_above with Some a, Some b -> Big.equal a b | None, None -> true | _ -> false in
  Big.equal g.grid_by.qnum h.grid_by.qnum && Big.equal g.grid_by.qden h.grid_by.qden && same_above &&
  Big.equal g.grid_cells h.grid_cells
let same_node x y = match x, y with
  | Cut (x, m), Cut (y, k) -> x = y && Big.equal m k
  | AsEach, AsEach | AsCorner, AsCorner -> true
  | AsBlock b, AsBlock d ->
    let same (x, k) (y, l) = x = y && Big.equal k l in
    let grids = match b.block_grid, d.block_grid with Some g, Some h -> same_grid g h | None, None -> true | _ -> false in
    List.length b.block_users = List.length d.block_users && List.for_all2 same b.block_users d.block_users &&
    Big.equal b.block_open d.block_open && b.block_place = d.block_place && grids
  | _ -> false
let same_tree t u = List.length t = List.length u && List.for_all2 same_node t u

(* Entries without those of "each" that renamings make of others, of which renamings (by number) leave their pairs where
   they are, and what the program is told: these renamings, and the others with the pairs that they move. *)
let by_renamings entries symmetries =
  let pair (e : entry) = (e.goes_from, e.goes_to) and each (e : entry) = e.nodes = [ AsEach ] in
  let renamings = List.mapi (fun i (g : symmetry) -> (i, g)) symmetries in
  let tables = List.map (fun (i, (g : symmetry)) ->
    let images = Hashtbl.create 16 in
    List.iter (fun (x, y) -> Hashtbl.replace images x y) g.inputs;
    (i, images)) renamings in
  let left = Hashtbl.create 16 and kept_by = Hashtbl.create 16 and moved = Hashtbl.create 16 and keeping = Hashtbl.create 16 in
  List.iter (fun e -> if each e then Hashtbl.replace left (pair e) ()) entries;
  let looked_at = List.filter (fun e ->
    let here = pair e in
    if not (each e) then true
    else if not (Hashtbl.mem left here) then false
    else begin
      Hashtbl.remove left here;
      let image images x = Option.value (Hashtbl.find_opt images x) ~default:x in
      List.iter (fun (i, images) ->
        let goal = (image images (fst here), image images (snd here)) in
        if goal = here then (Hashtbl.add kept_by here i; Hashtbl.replace keeping i ())
        else if Hashtbl.mem left goal then (Hashtbl.remove left goal; Hashtbl.add moved i here)) tables;
      true
    end) entries in
  let kept e = Hashtbl.find_all kept_by (pair e) in
  let keeps = Hashtbl.mem keeping in
  let others = List.map (fun (i, g) -> (i, (g, Hashtbl.find_all moved i))) renamings in
  looked_at, kept, List.filter_map (fun (i, g) -> if keeps i then Some g else None) renamings,
  List.filter_map (fun (i, (g, pairs)) -> if pairs <> [] || not (keeps i) then Some (g, pairs) else None) others

(* Each tree for all pairs that have it, the same ends in its blocks, and the same renamings that leave them where they are;
   blocks are `single` ones, if that is asked for. *)
let covers ?(single = false) ?(kept = fun _ -> []) t entries bits =
  let cut = function Cut (x, most) -> Some (x, most) | _ -> None in
  let add found (entry : entry) =
    let pair = (entry.goes_from, entry.goes_to) in
    let here = List.filter_map (function AsBlock b -> Some (ends t entry b) | _ -> None) entry.nodes in
    let stays = kept entry in
    let same (a, b) (c, d) = Big.equal a c && Big.equal b d in
    let rec place = function
      | ((by, tree, at), one) :: rest when by = stays && same_tree tree entry.nodes && List.for_all2 same at here ->
        ((by, tree, at), { one with goes = pair :: one.goes }) :: rest
      | other :: rest -> other :: place rest
      | [] -> [ ((stays, entry.nodes, here), { goes = [ pair ]; tree_of = over_leaves t cut (leaf single t entry bits) entry.nodes }) ] in
    place found in
  List.map snd (List.fold_left add [] entries)

(* (pairs, how many others of which class) of all leaves that are as many others as these; of "each": None. *)
let corners t trees =
  let cut = function Split (x, most) -> Some (x, most) | Here _ -> None in
  List.concat_map (fun one ->
    let leaf node corner = match node, corner with
      | Here Each, Some _ -> [ (one.goes, None) ]
      | Here Corner, Some m -> [ (one.goes, Some m) ]
      | Here (Fewer m), Some _ -> [ (one.goes, Some m) ]
      | _ -> [] in
    List.concat (over_leaves t cut leaf one.tree_of)) trees
