(* A tree of JSON, and how values are read of it: what is found, or why there is none. Numbers of JSON stay as they are
   written. That no key comes twice in an object, and that nesting ends at 100, is seen to by the parser. *)
From Coq Require Import ZArith QArith String List Bool.
From Shufflecert Require Import Texts Spec.
Import ListNotations.
Local Open Scope string_scope.
Local Open Scope Z_scope.

Inductive json := Null | Bool (b : bool) | Digits (s : string) | Text (s : string) | Values (l : list json)
  | Object (l : list (string * json)).

Inductive refusal := Malformed (place expected : string) | NoTheorem (about : string).
Inductive read (A : Type) := Not (why : refusal) | Good (a : A).
Arguments Not {A}. Arguments Good {A}.
Notation "'let!' x := m 'in' k" := (match m with Not why => Not why | Good x => k end)
  (at level 200, x pattern, m at level 100, k at level 200).
Notation "'expect' b 'at' place 'of' words ; k" := (if negb b then Not (Malformed place words) else k)
  (at level 200, b at level 100, place at level 60, words at level 100, k at level 200).
Definition bad {A} (place expected : string) : read A := Not (Malformed place expected).

(* ---- of all of a list ---- *)
Definition not_empty {A} (l : list A) : bool := match l with [] => false | _ => true end.
Definition is_there {A} (o : option A) : bool := match o with Some _ => true | None => false end.
Fixpoint read_onto {A B} (f : A -> read B) (l : list A) (found : list B) : read (list B) :=
  match l with [] => Good (rev_append found []) | x :: l => let! y := f x in read_onto f l (y :: found) end.
Definition read_all {A B} (f : A -> read B) (l : list A) : read (list B) := read_onto f l [].
(* f is also told which one it is, from 0. *)
Fixpoint read_from {A B} (i : nat) (f : nat -> A -> read B) (l : list A) (found : list B) : read (list B) :=
  match l with [] => Good (rev_append found []) | x :: l => let! y := f i x in read_from (S i) f l (y :: found) end.
Definition read_each {A B} (f : nat -> A -> read B) (l : list A) : read (list B) := read_from 0 f l [].
Definition number_of_it (i : nat) : string := decimal (Z.of_nat i).
Definition th (place : string) (i : nat) : string := place ++ "[" ++ number_of_it i ++ "]".

(* ---- texts that differ, and numbers for them ---- *)
Definition all_differ (l : list string) : bool := Nat.eqb (length (different l)) (length l).
(* Labels become numbers: places in a list of them. *)
Record labels := { in_turn : list string; numbers_of : table nat }.
Definition numbered (l : list string) : labels :=
  let each := different l in {| in_turn := each; numbers_of := table_from (combine each (seq 0 (length each))) |}.

(* ---- values ---- *)
Definition text (place : string) (v : json) : read string := match v with Text s => Good s | _ => bad place "a string" end.
Definition values (place : string) (v : json) : read (list json) :=
  match v with Values l => Good l | _ => bad place "a list" end.
Definition members (place : string) (v : json) : read (list (string * json)) :=
  match v with Object l => Good l | _ => bad place "an object" end.
Fixpoint among_words (x : string) (words : list string) : bool :=
  match words with [] => false | w :: words => if String.eqb x w then true else among_words x words end.
Fixpoint value_of (key : string) (l : list (string * json)) : option json :=
  match l with [] => None | (x, v) :: l => if String.eqb key x then Some v else value_of key l end.
Definition there_is (key : string) (l : list (string * json)) : bool := is_there (value_of key l).
Definition the (key : string) (l : list (string * json)) : json := match value_of key l with Some v => v | None => Null end.

Fixpoint only_keys (place : string) (keys : list string) (l : list (string * json)) (found : list (string * json)) :
    read (list (string * json)) :=
  match l with
  | [] => Good found
  | (x, _) :: l => if among_words x keys then only_keys place keys l found
                   else bad place ("no other key than " ++ String.concat ", " keys)
  end.
Fixpoint first_missing (needed : list string) (l : list (string * json)) : option string :=
  match needed with [] => None | x :: needed => if there_is x l then first_missing needed l else Some x end.
(* The members of an object with no other keys than these, and with all that are needed. *)
Definition fields (place : string) (keys needed : list string) (v : json) : read (list (string * json)) :=
  let! l := members place v in
  let! l := only_keys place keys l l in
  match first_missing needed l with None => Good l | Some x => bad place ("the key " ++ x) end.

Definition most_digits : Z := 10 ^ 5.
Definition natural_at (place s : string) : read Z :=
  match natural_in most_digits s with Some k => Good k | None => bad place "digits, at most 100000, no leading zero" end.
Definition ratio_at (place s : string) : read Q :=
  let (above, below) := at_slash s in
  let! a := natural_at place above in
  match below with
  | None => Good (Qmake a 1)
  | Some s => let! b := natural_at place s in
      match b with Zpos d => Good (Qmake a d) | _ => bad place "a denominator above 0" end
  end.
Definition rational (place : string) (v : json) : read Q := let! s := text place v in ratio_at place s.
Definition positive_rational (place : string) (v : json) : read Q :=
  let! q := rational place v in if Qnum q <=? 0 then bad place "more than zero" else Good q.
Definition at_most_1 (place : string) (q : Q) : read Q :=
  if Z.pos (Qden q) <? Qnum q then bad place "at most 1" else Good q.
Definition probability (place : string) (v : json) : read Q := let! q := rational place v in at_most_1 place q.
(* A probability above 0. *)
Definition weight (place : string) (v : json) : read Q := let! q := positive_rational place v in at_most_1 place q.
Definition exponent_in (place : string) (v : json) : read exponent :=
  let! s := text place v in
  match in_log s with
  | Some s => let! z := ratio_at place s in
      if Qnum z <? Z.pos (Qden z) then bad place "log of at least 1" else Good (Log z)
  | None => let! q := ratio_at place s in
      if 10000 * Z.pos (Qden q) <? Qnum q then bad place "a RATIONAL up to 10000" else Good (Of q)
  end.

Definition most_in_json : Z := 100.
Definition integer (place : string) (least most : Z) (v : json) : read Z :=
  match match v with Digits s => natural_in most_in_json s | _ => None end with
  | None => bad place "an integer"
  | Some k => if (least <=? k) && (k <=? most) then Good k else
      bad place ("an integer from " ++ decimal least ++ " to " ++ decimal most)
  end.
Definition most_of_all : Z := 10 ^ 15.
Definition longest_modulus : Z := 2 ^ 256.
Definition most_cells : Z := 2 ^ 32.
Definition most_signed : Z := 1000.
Definition signed_at (place s : string) : read Z :=
  match after_minus s with
  | Some s => match natural_in most_signed s with Some k => Good (- k) | None => bad place "an INTEGER" end
  | None => match natural_in most_signed s with Some k => Good k | None => bad place "an INTEGER" end
  end.
Definition signed (place : string) (v : json) : read Z := let! s := text place v in signed_at place s.

Definition label_at (place s : string) : read string :=
  let k := code_points s in if (1 <=? k) && (k <=? 1000) then Good s else bad place "a label of 1 to 1000 code points".
Definition label (place : string) (v : json) : read string := let! s := text place v in label_at place s.
Definition word (place : string) (words : list string) (v : json) : read string :=
  let! s := text place v in if among_words s words then Good s else bad place (String.concat " or " words).
Definition known_at (place : string) (names : labels) (s : string) : read nat :=
  match look_up (numbers_of names) s with
  | Some i => Good i
  | None => let! _ := label_at place s in bad place "a label of the randomizer"
  end.
Definition known (place : string) (names : labels) (v : json) : read nat :=
  let! s := text place v in known_at place names s.
Definition multiset (place : string) (names : labels) (v : json) : read (list (nat * Z)) :=
  let! l := members place v in
  read_all (fun o => let! x := known_at place names (fst o) in let! k := integer place 1 most_of_all (snd o) in Good (x, k)) l.

(* ---- what tells lists and trees apart, as a text ---- *)
Definition quoted (s : string) : string := decimal (code_points s) ++ ":" ++ s.
Fixpoint spelled_onto (v : json) (found : list string) : list string :=
  match v with
  | Null => "n" :: found
  | Bool b => (if b then "t" else "f") :: found
  | Digits s => ("#" ++ quoted s) :: found
  | Text s => quoted s :: found
  | Values l =>
      (fix all (l : list json) (found : list string) := match l with
       | [] => "]" :: found
       | x :: l => all l (spelled_onto x found)
       end) l ("[" :: found)
  | Object l =>
      (fix all (l : list (string * json)) (found : list string) := match l with
       | [] => "}" :: found
       | x :: l => all l (spelled_onto (snd x) (quoted (fst x) :: found))
       end) l ("{" :: found)
  end.
Definition spelled (v : json) : string := String.concat "" (rev_append (spelled_onto v []) []).
Definition spelled_numbers (l : list nat) : string := String.concat "," (map number_of_it l).

(* ---- sums ---- *)
Definition plus_weight (total : Z * Z) (w : Q) : Z * Z :=
  let d := Z.pos (Qden w) in
  if snd total mod d =? 0 then (fst total + Qnum w * (snd total / d), snd total)
  else (fst total * d + Qnum w * snd total, snd total * d).
Definition sum_to_1 (ws : list Q) : bool := let total := fold_left plus_weight ws (0, 1) in fst total =? snd total.
