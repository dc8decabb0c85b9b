import type { Actor, QuoteNormalization } from '../../schemas/vocabulary.ts'
import { fold } from '../text/fold.ts'
import { type MappedText, mapWhole } from './mapped-text.ts'
import { dropEmphasis } from './quote-emphasis.ts'
import { readEscapes } from './quote-escapes.ts'
import { dropPrefixes, PREFIX_KINDS, type PrefixKind } from './quote-prefixes.ts'
import type { Reading } from './quote-readings.ts'
import type { Window } from './quote-window.ts'

/** How a text is read to be compared with a quote. */
export interface Form {
  /** Its place among the forms, the plainest first. */
  readonly rank: number
  readonly escapes: boolean
  readonly prefix: PrefixKind | null
  readonly emphasis: boolean
}

/** A window of a text in one form, folded, each unit with its range of the text. */
export interface FormedText extends MappedText {
  readonly form: Form
  /** The window before its line prefixes were dropped. */
  readonly listed: MappedText
}

const FORMS: readonly Form[] = [false, true]
  .flatMap((escapes) =>
    [null, ...PREFIX_KINDS].flatMap((prefix) => [false, true].map((emphasis) => ({ escapes, prefix, emphasis }))),
  )
  .map((form, rank) => ({ ...form, rank }))
export const FORM_COUNT = FORMS.length

/** The forms of a window that differ from the plainer ones. An action has no emphasis: there a star is a glob and `_x_` a name. */
export function* formsOf(text: string, window: Window, actor: Actor): Generator<FormedText> {
  const whole = mapWhole(text, window.start, window.end)
  const decoded = whole.text.includes('\\') ? readEscapes(whole) : whole
  for (const form of FORMS) {
    const base = form.escapes ? decoded : whole
    if (form.escapes && decoded === whole) continue
    if (form.emphasis && actor === 'agent_action') continue
    const listed = form.prefix === null ? base : dropPrefixes(base, form.prefix)
    if (form.prefix !== null && listed === base) continue
    const plain = form.emphasis ? dropEmphasis(listed) : listed
    if (form.emphasis && plain === listed) continue
    yield { ...foldMapped(plain, form.escapes), form, listed: base }
  }
}

/** What a reading looks like in a form. */
export function needleOf(reading: Reading, form: Form): string {
  if (form.escapes) return form.emphasis ? reading.plainBroken : reading.broken
  return form.emphasis ? reading.plain : reading.folded
}

function foldMapped(mapped: MappedText, breaks: boolean): MappedText {
  const folded = fold(mapped.text, { ansi: false, breaks })
  const at = folded.from.subarray(0, folded.text.length)
  return { text: folded.text, from: at.map((one) => mapped.from[one] ?? 0), to: at.map((one) => mapped.to[one] ?? 0) }
}

/** The normalizations of a form, by their names. */
export const namesOfForm = (form: Form): QuoteNormalization[] => [
  ...(form.escapes ? (['escapes'] as const) : []),
  ...(form.prefix === null ? [] : (['line_prefixes'] as const)),
  ...(form.emphasis ? (['emphasis'] as const) : []),
]
