/**
 * Ways of writing that hide a string from a search but not from a reader: characters that show nothing, and letters that look like others. A search
 * sees through all of them, a quote only through those that change no letter.
 */

/** Latin letters, each before those that look like it in most fonts (a selection of Unicode’s confusables): Cyrillic, Greek, Armenian. */
const LOOK_ALIKES =
  'aа cсϲ dԁ eе hһ iі jјϳ lӏ nո oоοօ pрρ qԛ sѕ uս vѵν wԝ xх yу AАΑ BВΒ CСϹ EЕΕ HНΗ IІΙӀ JЈͿ KКΚ MМΜ NΝ OОΟՕ PРΡ SЅ TТΤ XХΧ YҮΥ ZΖ'

const LATIN = new Map(
  LOOK_ALIKES.split(' ').flatMap(([latin = '', ...others]) =>
    others.map((other) => [other.charCodeAt(0), latin.charCodeAt(0)] as const),
  ),
)

/** Look-alikes and full-width letters: one character class. */
export const DISGUISED = `${[...LATIN.keys()].map((code) => String.fromCharCode(code)).join('')}\\uff01-\\uff5e`

/** Unicode’s “default ignorable” characters of the first plane; tags and variation selectors of the others. */
export const HIDDEN =
  '[\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0]|\\udb40[\\udc00-\\udfff]'

/**
 * Characters that only steer the display: the soft hyphen, zero-width characters, direction marks and isolates, variation selectors. A quote may leave
 * them out. Overrides of the direction (U+202D, U+202E) change the order of the letters, tags can be read by a model: both must be quoted.
 */
export const STEERING = '\\u00ad\\u061c\\u200b-\\u200f\\u202a-\\u202c\\u2060\\u2066-\\u2069\\ufe00-\\ufe0f\\ufeff'

/** Marks that a letter before them may be one with: accents, the voice marks of kana, the parts of a Hangul syllable. */
export const MARKS = '\\u0300-\\u034e\\u0350-\\u036f\\u0653-\\u0655\\u1161-\\u1175\\u11a8-\\u11c2\\u3099\\u309a'

/** Finds the unit that a look-alike or a full-width letter passes for; any other unit is itself. */
export function undisguised(code: number): number {
  if (code < 0x370) return code
  if (code >= 0xff01 && code <= 0xff5e) return code - 0xfee0
  return LATIN.get(code) ?? code
}

/** Blocks of ligatures and other compatibility forms (`ﬁ`, `①`, `ª`), and mathematical letters. */
export const FORMED =
  '[\\u00aa-\\u00ba\\u0132\\u0133\\u017f\\u01c7-\\u01f3\\u02b0-\\u02e3\\u1d2c-\\u1dbb\\u2070-\\u209c\\u2102-\\u217f\\u2460-\\u24ea\\u2c7c\\u2c7d\\u3250-\\u33ff\\ua7f1-\\ua7f4\\ufb00-\\ufb06\\uff10-\\uff5a]|\\ud835[\\udc00-\\udfff]'

/** Reads a compatibility form as the ASCII letters and digits that it stands for; null: as none. */
export function plainForm(formed: string): string | null {
  const plain = formed.normalize('NFKC')
  return /^[0-9A-Za-z]{1,3}$/.test(plain) ? plain : null
}
