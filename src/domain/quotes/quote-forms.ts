import type { Actor, QuoteNormalization } from '../../schemas/vocabulary.ts'
import { type Folded, fold } from '../text/fold.ts'
import type { Range } from '../trajectory/view.ts'
import { dropEmphasis, hasEmphasis, type MappedText, mapWhole, readEscapes } from './mapped-text.ts'
import { dropPrefixes, hasPrefix, PREFIX_KINDS, type PrefixKind } from './quote-prefixes.ts'
import type { Reading } from './quote-readings.ts'

/** How a text is read to be compared with a quote. */
export interface Form {
  /** Its place among the forms, the plainest first. */
  readonly rank: number
  readonly escapes: boolean
  readonly prefix: PrefixKind | null
  readonly emphasis: boolean
}

/** A window of a text in one form, each unit with its range of the text. */
export interface FormedText {
  readonly form: Form
  readonly plain: MappedText
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
export function* formsOf(text: string, window: Range, actor: Actor): Generator<FormedText> {
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
    yield { form, plain, listed: base }
  }
}

/** How many forms a text has: what stands before a line makes no difference to the emphasis in it. */
export function countForms(text: string, actor: Actor): number {
  const bases = text.includes('\\') ? [text, readEscapes(mapWhole(text, 0, text.length)).text] : [text]
  return bases.reduce((sum, base) => {
    const listed = 1 + PREFIX_KINDS.filter((kind) => hasPrefix(base, kind)).length
    return sum + (actor !== 'agent_action' && hasEmphasis(base) ? 2 * listed : listed)
  }, 0)
}

/** What a reading looks like in a form. */
export function needleOf(reading: Reading, form: Form): string {
  if (form.escapes) return form.emphasis ? reading.plainBroken : reading.broken
  return form.emphasis ? reading.plain : reading.folded
}

/** As needles are compared with it. */
export const foldForm = ({ form, plain }: FormedText): Folded => fold(plain.text, { ansi: false, breaks: form.escapes })

/** The normalizations of a form, by their names. */
export const namesOfForm = (form: Form): QuoteNormalization[] => [
  ...(form.escapes ? (['escapes'] as const) : []),
  ...(form.prefix === null ? [] : (['line_prefixes'] as const)),
  ...(form.emphasis ? (['emphasis'] as const) : []),
]
