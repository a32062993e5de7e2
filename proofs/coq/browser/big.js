//Provides: big_of_int
function big_of_int(n) { return BigInt(n); }
//Provides: big_to_int
//Requires: caml_failwith
function big_to_int(a) {
  if (a < BigInt(-1073741824) || a > BigInt(1073741823)) caml_failwith("a number is too large for a browser");
  return Number(a);
}
//Provides: big_add
function big_add(a, b) { return a + b; }
//Provides: big_sub
function big_sub(a, b) { return a - b; }
//Provides: big_mul
function big_mul(a, b) { return a * b; }
//Provides: big_neg
function big_neg(a) { return -a; }
//Provides: big_numbits
function big_numbits(a) {
  if (a < BigInt(0)) a = -a;
  var t = a.toString(16), first = parseInt(t[0], 16);
  return (t.length - 1) * 4 + (first >= 8 ? 4 : first >= 4 ? 3 : first >= 2 ? 2 : 1);
}
//Provides: big_shift
//Requires: big_numbits
// k where b is 2^k with k > 0, or 0
function big_shift(b) {
  return b > BigInt(1) && (b & (b - BigInt(1))) == BigInt(0) ? big_numbits(b) - 1 : 0;
}
//Provides: big_div
//Requires: big_shift
function big_div(a, b) {
  if (b == BigInt(0)) return b;
  var k = big_shift(b);
  if (k > 0) return a >> BigInt(k);
  var q = a / b, r = a % b;
  return (r != BigInt(0) && (r < BigInt(0)) != (b < BigInt(0))) ? q - BigInt(1) : q;
}
//Provides: big_mod
//Requires: big_div, big_shift
function big_mod(a, b) {
  var k = big_shift(b);
  return b == BigInt(0) ? a : k > 0 ? BigInt.asUintN(k, a) : a - b * big_div(a, b);
}
//Provides: big_pow
function big_pow(a, n) {
  if (n < BigInt(0)) return BigInt(0);
  var r = BigInt(1);
  if (a == BigInt(2)) return r << n;
  while (n > BigInt(0)) { if (n % BigInt(2) == BigInt(1)) r = r * a; n = n / BigInt(2); if (n > BigInt(0)) a = a * a; }
  return r;
}
//Provides: big_compare
function big_compare(a, b) { return a < b ? -1 : a > b ? 1 : 0; }
//Provides: big_equal
function big_equal(a, b) { return (a == b) | 0; }
//Provides: big_leb
function big_leb(a, b) { return (a <= b) | 0; }
//Provides: big_ltb
function big_ltb(a, b) { return (a < b) | 0; }
//Provides: big_max
function big_max(a, b) { return a < b ? b : a; }
//Provides: big_of_string
//Requires: caml_jsbytes_of_string
function big_of_string(s) { return BigInt(caml_jsbytes_of_string(s)); }
//Provides: big_to_string
//Requires: caml_string_of_jsbytes
function big_to_string(a) { return caml_string_of_jsbytes(a.toString()); }
//Provides: kernel_export
//Requires: caml_string_of_jsbytes, caml_jsbytes_of_string, caml_js_wrap_callback
function kernel_export(f) {
  var g = caml_js_wrap_callback(f);
  // a string of bytes, one in each character, to the verdict
  globalThis.shufflecertKernel = function (bytes) { return caml_jsbytes_of_string(g(caml_string_of_jsbytes(bytes))); };
  return 0;
}
