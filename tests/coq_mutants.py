"""Changes to what the verified kernel computes and to what is claimed of it, each of which must break a proof.

(file, what stands there, what is put in its place). Each piece of text stands once in its file's definitions; a change
that only makes the kernel accept less is none of these.
"""

MUTANTS = (
    # e^eps, and rounding
    ("Exp", "Definition ceil a b := - ((- a) / b).", "Definition ceil a b := a / b."),
    ("Exp", "O => total + 3 * t", "O => total + t"),
    ("Exp", "(ceil (t * r) (k * 2 ^ w))", "(t * r / (k * 2 ^ w))"),
    ("Exp", "square_up h w (ceil (x * x) (2 ^ w))", "square_up h w (x * x / 2 ^ w)"),
    ("Exp", "square_down h w (x * x / 2 ^ w)", "square_down h w (ceil (x * x) (2 ^ w))"),
    ("Check", "else (exp_down (Qnum q)", "else (exp_up (Qnum q)"),
    ("Check", "else (exp_up (Qnum q)", "else (exp_down (Qnum q)"),
    ("Check", "| Of q => if Qnum q =? 0", "| Of q => if Qnum q =? 1"),
    ("Check", "Of q => Qnum q <=? QDen q * 2 ^ Z.of_nat (halvings p)", "Of q => true"),
    # laws as polynomials
    ("Check", "Qnum (snd o) * (D / QDen (snd o)))) r.", "Qnum (snd o) * D)) r."),
    ("Check", "(D mod QDen (snd o) =? 0) && (0 <? Qnum (snd o))", "(0 <? Qnum (snd o))"),
    ("Check", "(D mod QDen (snd o) =? 0) && (0 <? Qnum (snd o))", "(D mod QDen (snd o) =? 0)"),
    ("Check", "(Z.of_nat (users c) * longest (rows c) <? 2 ^ w)", "(longest (rows c) <? 2 ^ w)"),
    ("Check", "Z.max (Z.of_nat (length (fst o))) m", "Z.min (Z.of_nat (length (fst o))) m"),
    ("Poly", "merge d u p' q' ((l, u * w + v) :: acc)", "merge d u p' q' ((l, u * w) :: acc)"),
    ("Poly", "[] => merge d u p' [] ((d + k, u * w) :: acc)", "[] => merge d u p' [] ((d + k, w) :: acc)"),
    ("Poly", "Lt => merge d u p' q ((d + k, u * w) :: acc)", "Lt => merge d u p' q acc"),
    ("Poly", "fun q acc => fold_left (fun acc kv => acc + Z.max (- (b * snd kv)) 0) q acc", "fun q acc => 0"),
    ("Poly", "Eq => stick a b p' q' (acc + Z.max (a * w - b * v) 0)", "Eq => stick a b p' q' (acc + (a * w - b * v))"),
    ("Poly", "Lt => stick a b p' q (acc + Z.max (a * w) 0)", "Lt => stick a b p' q acc"),
    ("Poly", "if E (fst kw) then acc + snd kw else acc", "acc + snd kw"),
    # all neighbouring datasets
    ("Check", "(k, w) :: f, (l, v) :: g => (s + k =? l) && (w =? v) &&", "(k, w) :: f, (l, v) :: g => (s + k =? l) &&"),
    ("Check", "(k, w) :: f, (l, v) :: g => (s + k =? l) && (w =? v) &&", "(k, w) :: f, (l, v) :: g => (w =? v) &&"),
    ("Check", "Nat.eqb i j || worth", "Nat.ltb i j || worth"),
    ("Check", "D ^ Z.of_nat (users c) * snd z.\n", "D ^ (Z.of_nat (users c) + 1) * snd z.\n"),
    ("Every", "two step pass i j fuel (n - m - 1) (steps step i (m + 1) acc)", "true"),
    ("Every", "steps step j (n - m) acc", "steps step j (n - m - 1) acc"),
    ("Every", "| [] => fun n acc => match n with O => pass acc | S _ => true end", "| [] => fun n acc => true"),
    # weights rounded outwards
    ("Cover", "let v := w / D in", "let v := ceil w D in"),
    ("Cover", "let v := ceil w D in", "let v := w / D in"),
    ("Cover", "(lost + Z.max v 0)", "lost"),
    ("Cover", "0 + snd z * (D * lost v)) *", "0) *"),
    ("Cover", "(total f =? D)", "(total f <=? D * D)"),
    ("CoverReach", "(weight_in E q + D * lost v)", "weight_in E q"),
    ("CoverReach", "(if strict then r <? l else r <=? l)", "true"),
    # pairs, events, symmetries, views
    ("Check", "(if strict then r <? l else r <=? l)", "(r <=? l)"),
    ("Event", "if total_of m <? 2 ^ w then [counts_key w m] else []", "[counts_key w m]"),
    ("Event", "if existsb (eq_msgs s) l then [key w [place s l]] else []", "[key w [place s l]]"),
    ("Symmetry", "distinct values &&", "true &&"),
    ("Symmetry", "(stick 1 1 f g 0 =? 0) && (stick 1 1 g f 0 =? 0)", "(stick 1 1 f g 0 =? 0)"),
    ("Symmetry", "Z.of_nat m <? B) s | _", "true) s | _"),
    ("Views", "if eq_msgs s t then O else S (place s l)", "if eq_msgs s t then O else place s l"),
    ("Kernel", "valid (unit_of s) (rows c) &&", "true &&"),
    ("Kernel", "(fold_right (fun o t => Qnum (snd o) * (D / QDen (snd o)) + t) 0 r =? D)", "true"),
    ("Kernel", "symmetries_hold c s symmetries && Nat.eqb", "Nat.eqb"),
    ("Kernel", "symmetries_hold c s symmetries && Nat.eqb (length (rows c)) 1", "symmetries_hold c s symmetries"),
    ("Kernel", "(smaller upper (delta c))", "upper"),
    ("Kernel", "(smaller upper (delta c))", "(delta c)"),
    ("Kernel", "users := 1; eps := eps c", "users := 0; eps := eps c"),
    ("Kernel", "pair_stands c p && well_listed c outcomes &&", "pair_stands c p &&"),
    ("Kernel", "| _ => Nat.ltb 0 (users c) end", "| _ => true end"),
    # what is claimed
    ("Spec", "is_randomizer K /\\", "True /\\"),
    ("Spec", "Shuffled => Permutation (concat s) (concat t) ", "Shuffled => concat s = concat t "),
    ("Spec", "Local => s = t ", "Local => True "),
    ("Spec", "x <> y /\\ xs = l ++ x :: r", "xs = l ++ x :: r"),
    ("Spec", "Q2R (delta c) < Pr (listed", "Q2R (delta c) + 1 < Pr (listed"),
)  # fmt: skip
