(* Texts and tables of them, as the reader of certificates uses them. A text is its UTF-8, byte by byte. Every function
   here says what is meant; in the checkers their own texts and tables take its place (Extract.v, ExtractPython.v). *)
From Coq Require Import ZArith String Ascii DecimalString List Bool.
Import ListNotations.
Local Open Scope Z_scope.

(* ---- numbers in texts ---- *)
Definition decimal (k : Z) : string := NilZero.string_of_int (Z.to_int k).
Definition digit (c : ascii) : option Z :=
  let k := Z.of_N (N_of_ascii c) - 48 in if (0 <=? k) && (k <=? 9) then Some k else None.
Fixpoint digits_after (k : Z) (s : string) : option Z :=
  match s with
  | EmptyString => Some k
  | String c s => match digit c with Some d => digits_after (10 * k + d) s | None => None end
  end.
(* What is written in at most so many digits, of which a 0 is first only where it is alone. *)
Definition natural_in (most : Z) (s : string) : option Z :=
  match s with
  | EmptyString => None
  | String "0" (String _ _) => None
  | _ => if Z.of_nat (String.length s) <=? most then digits_after 0 s else None
  end.

(* ---- parts of texts ---- *)
(* What stands before the first slash, and what behind it, if there is one. *)
Fixpoint at_slash (s : string) : string * option string :=
  match s with
  | EmptyString => (EmptyString, None)
  | String c s => if Ascii.eqb c "/" then (EmptyString, Some s) else
      let parts := at_slash s in (String c (fst parts), snd parts)
  end.
(* What stands behind a minus. *)
Definition after_minus (s : string) : option string := match s with String "-" s => Some s | _ => None end.
(* What stands in "log(...)". *)
Fixpoint before_the_end (s : string) : option string :=
  match s with
  | EmptyString => None
  | String ")" EmptyString => Some EmptyString
  | String c s => match before_the_end s with Some found => Some (String c found) | None => None end
  end.
Definition in_log (s : string) : option string :=
  match s with String "l" (String "o" (String "g" (String "(" s))) => before_the_end s | _ => None end.
(* How many code points it has: bytes that continue one are 128 to 191. *)
Fixpoint code_points (s : string) : Z :=
  match s with
  | EmptyString => 0
  | String c s => let k := Z.of_N (N_of_ascii c) in (if (128 <=? k) && (k <=? 191) then 0 else 1) + code_points s
  end.

(* ---- tables ---- *)
(* Of texts that come twice the first one counts. *)
Inductive table (A : Type) := Keyed (rows : list (string * A)).
Arguments Keyed {A}.
Definition table_from {A} (rows : list (string * A)) : table A := Keyed rows.
Definition look_up {A} (t : table A) (x : string) : option A :=
  let (rows) := t in match List.find (fun r => String.eqb x (fst r)) rows with Some r => Some (snd r) | None => None end.
(* Each text once, where it comes first. *)
Fixpoint beyond_these (seen l : list string) : list string :=
  match l with
  | [] => []
  | x :: l => if existsb (String.eqb x) seen then beyond_these seen l else x :: beyond_these (x :: seen) l
  end.
Definition different (l : list string) : list string := beyond_these [] l.
