/**
 * Student's t distribution, as far as intervals need it: the quantile, from the regularised incomplete beta
 * function. Degrees of freedom need not be whole (Welch). Exact to about 1e-9, tested against printed tables.
 */

/** Terms of the continued fraction at most; it needs about the square root of the degrees of freedom. */
const MAX_TERMS = 10_000;
const TINY = 1e-300;
const PRECISION = 1e-15;
/** Halvings until the quantile is as exact as a double can say. */
const HALVINGS = 200;

/** Lanczos' coefficients for g = 7 (Godfrey 2001). */
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
  -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
] as const;

/**
 * The value below which a t-distributed number lies with probability `p`.
 *
 * @param p between 0.5 and 1, without the ends
 * @param degrees degrees of freedom, above 0
 */
export function tQuantile(p: number, degrees: number): number {
  if (!(p > 0.5 && p < 1)) throw new RangeError(`p must lie between 0.5 and 1, got ${p}`);
  if (!(degrees > 0)) throw new RangeError(`degrees of freedom must be above 0, got ${degrees}`);
  let high = 1;
  while (tCdf(high, degrees) < p && high < 1e12) high *= 2;
  let low = 0;
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (low + high) / 2;
    if (tCdf(middle, degrees) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Probability of a t-distributed number below `t`, for `t` of at least 0. */
function tCdf(t: number, degrees: number): number {
  return 1 - incompleteBeta(degrees / (degrees + t * t), degrees / 2, 0.5) / 2;
}

/** The regularised incomplete beta function I_x(a, b), with the side of the fraction that converges. */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(lnGamma(a + b) - lnGamma(a) - lnGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  return x < (a + 1) / (a + b + 2) ? (front * betaFraction(x, a, b)) / a : 1 - (front * betaFraction(1 - x, b, a)) / b;
}

/** Lentz' evaluation of the continued fraction (Abramowitz and Stegun 26.5.8). */
function betaFraction(x: number, a: number, b: number): number {
  let c = 1;
  let d = 1 / away(1 - ((a + b) * x) / (a + 1));
  let value = d;
  for (let m = 1; m <= MAX_TERMS; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    let change = 1;
    for (const term of [even, odd]) {
      d = 1 / away(1 + term * d);
      c = away(1 + term / c);
      change = d * c;
      value *= change;
    }
    if (Math.abs(change - 1) < PRECISION) break;
  }
  return value;
}

function away(value: number): number {
  return Math.abs(value) < TINY ? TINY : value;
}

/** Natural logarithm of the gamma function, for arguments above 0. */
function lnGamma(x: number): number {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - lnGamma(1 - x);
  const z = x - 1;
  const sum = LANCZOS.reduce((total, coefficient, i) => total + (i === 0 ? coefficient : coefficient / (z + i)), 0);
  const t = z + 7.5;
  return Math.log(2 * Math.PI) / 2 + (z + 0.5) * Math.log(t) - t + Math.log(sum);
}
