import { createLocator, type Place } from '../../../src/domain/quotes/locate.ts'
import { stringNeedles } from '../../../src/domain/sights/needle-search.ts'
import { findNeedle } from '../../../src/domain/sights/sights.ts'
import { unescapeWithin } from '../../../src/domain/text/escape.ts'
import { fold, NormalText } from '../../../src/domain/text/normal-text.ts'
import {
  createRendering,
  makeNonce,
  renderSteps,
  toSource,
  viewPart,
} from '../../../src/domain/trajectory/rendering.ts'
import type { Part } from '../../../src/domain/trajectory/trajectory.ts'
import { NOT_BLANK } from '../../../src/schemas/trial.ts'
import type { QuoteNormalization } from '../../../src/schemas/vocabulary.ts'
import { worldOf } from '../laws/evidence-world.ts'
import { foldSlowly, isFoundSlowly, matchSlowly } from '../laws/text-reference.ts'
import { JSON_INPUTS } from '../near.ts'
import { hold, type Target } from '../target.ts'

const NONCE = '0123456789abcdef'
/** A needle that the ground truth takes as an anchor. */
const isAnchor = new RegExp(NOT_BLANK, 'u')
/** What the reference does not know: `test/domain/quotes.test.ts` says what they may forgive. */
const FURTHER: ReadonlySet<QuoteNormalization> = new Set([
  'wrapping',
  'ellipsis',
  'escapes',
  'line_prefixes',
  'emphasis',
])

/** Quotes and needles in texts, by the inputs of the evidence check: each citation is a piece of a part, edited or not. */
export const LOCATE: Target<unknown> = {
  ...JSON_INPUTS,
  name: 'locate',
  law: 'what is cut from a text is found where it stands, what is edited is found only where the reference finds it, offsets map back',
  corpus: 'evidence',
  check(input) {
    const { trajectory, claims, anchors } = worldOf(input)
    const texts = trajectory.steps.flatMap((step) => step.parts.map((part) => part.text))
    const locator = createLocator(createRendering(trajectory, NONCE))
    for (const text of texts) {
      checkFold(text)
      for (const needle of [...(anchors.cue?.seen_given ?? []), ...(anchors.distractor?.seen_derived ?? [])])
        if (isAnchor.test(needle))
          hold(
            findNeedle(stringNeedles([needle]), { text }) !== null || !isFoundSlowly(text, needle),
            `an anchor is not found: ${JSON.stringify(needle)}`,
          )
    }
    for (const { quote } of claims.citations) {
      if (quote.trim() === '' || locator.isShort(quote)) continue
      for (const [index, { parts }] of trajectory.steps.entries())
        checkFound(locator.inStep(index, quote), parts, quote)
    }
  },
}

function checkFound(found: readonly Place[], parts: readonly Part[], quote: string): void {
  // What stands behind the placeholder of a medium is ours, and has no source.
  if (parts.some(({ media }) => media)) return
  const due = parts.map(({ text }) => matchSlowly(text, viewPart(text, NONCE).text, quote))
  const best = due.includes('verified') ? 'verified' : 'normalized'
  const expected = due.flatMap((match, part) => (match === best ? [part] : []))
  if (expected.length === 0) {
    hold(
      found.every(({ normalization }) => normalization?.some((one) => FURTHER.has(one))),
      `found where the reference finds nothing: ${JSON.stringify(quote)}`,
    )
    return
  }
  hold(
    JSON.stringify(found.map(({ position }) => position.part)) === JSON.stringify(expected),
    `found elsewhere: ${JSON.stringify(quote)}`,
  )
  for (const place of found) checkPlace(parts[place.position.part]?.text ?? '', place, quote)
}

function checkPlace(
  text: string,
  { match, start, end }: { match: string; start: number; end: number },
  quote: string,
): void {
  const there = text.slice(start, end)
  const folded = (one: string) => foldSlowly(one, !(unescapeWithin(quote) ?? '').includes('\u001b')).trim()
  if (text.includes(quote))
    hold(match === 'verified' && there === quote, `an exact quote at another place: ${JSON.stringify([there, quote])}`)
  else if (match === 'verified')
    hold(
      viewPart(there, NONCE).text.includes(quote) || viewPart(text, NONCE).text.includes(quote),
      'a quote of what is not shown',
    )
  else
    hold(
      folded(there) === foldSlowly(unescapeWithin(quote) ?? '', false).trim(),
      `a folded quote at another place: ${JSON.stringify([there, quote])}`,
    )
}

function checkFold(text: string): void {
  for (const ansi of [true, false]) {
    const folded = fold(new NormalText(text), { ansi, white_space: true, typographic_quotes: true, unicode: true })
    hold(
      folded.text === foldSlowly(text, ansi),
      `a fold differs from the reference: ${JSON.stringify([folded.text, text])}`,
    )
    for (let at = 1; at < folded.text.length; at++) {
      const { start, end } = folded.range(at, at + 1)
      hold(start >= folded.range(at - 1, at).start && end > start, 'offsets do not rise')
    }
  }
}

const FRAME =
  /^[ \t]*(?:={2,}[ \t]*(?:STEP|END|TRAJECTORY|GROUND|QUESTION|RUBRIC|EVIDENCE|OMITTED)|-{2,}[ \t]*(?:user|system|agent_|tool_output))/i

export const RENDERING: Target<unknown> = {
  ...JSON_INPUTS,
  name: 'rendering',
  law: 'only the frames of the prompt look like frames; reading the escapes back gives the text; every piece of the view has its source',
  corpus: 'evidence',
  check(input) {
    const { trajectory, claims } = worldOf(input)
    const nonce = makeNonce(Buffer.from('a secret of sixteen bytes and more'), trajectory)
    const lines = renderSteps(createRendering(trajectory, nonce), [...trajectory.steps.keys()]).split('\n')
    const parts = trajectory.steps.flatMap((step) => step.parts)
    const due = parts.length + trajectory.steps.length + 1
    // The mark of a picture that is not shown carries the nonce, too.
    const marks = parts.filter(({ media }) => media).length
    hold(lines.filter((line) => line.includes(nonce)).length === due + marks, 'another number of frames')
    hold(lines.filter((line) => FRAME.test(line)).length === due, 'a text looks like a frame')
    for (const [index, { text }] of parts.entries()) {
      const view = viewPart(text, nonce)
      hold(
        (unescapeWithin(view.text) ?? '') === text.replaceAll('\r\n', '\n'),
        `the escapes of ${JSON.stringify(text)} are read back as another text`,
      )
      const whole = toSource(view, { start: 0, end: view.text.length })
      // The carriage return of a line end is not shown, so a view can begin behind one.
      const begins = text.startsWith('\r\n') ? 1 : 0
      hold(whole !== null && whole.start === begins && whole.end === text.length, 'the whole view has another source')
      const start = (claims.citations[index % 8]?.quote.length ?? 0) % (view.text.length + 1)
      const piece = toSource(view, { start, end: view.text.length })
      hold(piece !== null && piece.end === text.length && piece.start <= piece.end, 'a piece of the view has no source')
    }
  },
}
