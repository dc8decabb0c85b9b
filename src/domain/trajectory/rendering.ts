import { createHmac, type KeyObject } from 'node:crypto'
import type { Coverage, InputState } from '../../schemas/grade.ts'
import { once } from '../result.ts'
import { eachEscape } from '../text/escape.ts'
import { NormalText, type Range } from '../text/normal-text.ts'
import data from '../words.json' with { type: 'json' }
import type { ElisionPlan } from './reading-plan.ts'
import { type Part, type Picture, renderActNotes, type Trajectory } from './trajectory.ts'

export type { Range } from '../text/normal-text.ts'

/** One part of a trajectory as a judge is shown it, with the way back to the source. */
export interface PartView {
  readonly source: string
  readonly text: string
  /** Places where view and source differ, as of a `NormalText`: a hostile part can hold millions. */
  readonly edits: ArrayLike<number>
  /** Source ranges that are not shown; empty when the part is whole. */
  readonly hidden: readonly Range[]
}

/** Makes the view of a part, with markers in the place of its hidden ranges. Linear. */
export function viewPart(source: string, nonce: string, hidden: readonly Range[] = []): PartView {
  const { length } = source
  const edits: number[] = []
  let [text, at] = ['', 0]
  const replace = (start: number, end: number, shown: string): void => {
    text += source.slice(at, start)
    edits.push(text.length, text.length + shown.length, start, end)
    text += shown
    at = end
  }
  for (const { start, end } of [...hidden, { start: length, end: length }]) {
    eachEscape(source, at, start, replace)
    if (end > start) replace(start, end, `⟦${end - start} characters not shown · ${nonce}⟧`)
  }
  if (edits.length === 0) return { source, text: source, edits, hidden }
  return { source, text: text + source.slice(at), edits: Uint32Array.from(edits), hidden }
}

/** Ranges of parts that are shown, in order; a part without an entry is shown whole. */
type Shown = ReadonlyMap<Part, readonly Range[]>

/** Lists the source ranges that a view of the given ranges leaves out. */
function hiddenRanges(source: string, shown: readonly Range[]): Range[] {
  const gaps: Range[] = []
  const { length } = source
  let at = 0
  for (const { start, end } of [...shown.map((range) => snap(source, range)), { start: length, end: length }]) {
    if (start > at) gaps.push({ start: at, end: start })
    at = Math.max(at, end)
  }
  return gaps
}

/** Moves the ends of a range off the middle of surrogate pairs. */
function snap(source: string, range: Range): Range {
  const whole = (offset: number) => {
    const inside = (source.codePointAt(offset - 1) ?? 0) > 0xffff
    return offset > 0 && inside ? offset - 1 : offset
  }
  return { start: whole(range.start), end: whole(range.end) }
}

/** Finds the source range behind a range of the view; null where it touches text that was not shown. */
export function toSource(view: Omit<PartView, 'source'>, { start, end }: Range): Range | null {
  const source = new NormalText(view.text, view.edits).range(start, end)
  return isShown(view, source) ? source : null
}

/** Tests whether the judge was shown all of a source range. */
export const isShown = (view: Pick<PartView, 'hidden'>, range: Range): boolean =>
  view.hidden.every((hidden) => range.end <= hidden.start || range.start >= hidden.end)

/** Bumped when the same trajectory is shown otherwise: it is part of every cache key. */
export const RENDERING_VERSION = 3

/** The views of a trajectory for a judge, part by part, made when first asked for. */
export type Rendering = ReturnType<typeof createRendering>

/**
 * The mark in every frame of the prompt: an HMAC of the trajectory's digest, so that it is stable for the provider's prompt
 * cache and unknown to the author of the trajectory. In the unheard-of case that the text holds it, the next one is taken.
 */
export function makeNonce(secret: Uint8Array | KeyObject, trajectory: Trajectory): string {
  for (let round = 0; ; round++) {
    const named = `${trajectory.id}/${RENDERING_VERSION}/${round}`
    const nonce = createHmac('sha256', secret).update(named).digest('hex').slice(0, 16)
    if (!trajectory.steps.some((step) => step.parts.some((part) => part.text.includes(nonce)))) return nonce
  }
}

export function createRendering(
  trajectory: Trajectory,
  nonce: string,
  shown: Shown = new Map(),
  pictures: ShownPictures = NO_PICTURES,
) {
  const hidden = new Map([...shown].map(([part, ranges]) => [part, hiddenRanges(part.text, ranges)]))
  return {
    trajectory,
    nonce,
    /** Pictures that go with the text; any other medium is a placeholder that says so. */
    pictures,
    /** Ranges of parts that are not shown. */
    hidden: hidden as ReadonlyMap<Part, readonly Range[]>,
    view: once((part: Part): PartView => {
      const isMedia = part.media && shown.get(part)?.length !== 0
      return isMedia ? viewMedia(part, nonce, pictures.get(part)?.mark) : viewPart(part.text, nonce, hidden.get(part))
    }),
  }
}

/** A picture’s mark in place of its placeholder, which says of any other medium that the judge does not see it. */
function viewMedia(part: Part, nonce: string, mark: string | undefined): PartView {
  const { text: source } = part
  if (mark !== undefined) return { source, text: mark, edits: [0, mark.length, 0, source.length], hidden: [] }
  const view = viewPart(source, nonce)
  const text = `${view.text} ⟦not shown to you · ${nonce}⟧`
  return {
    ...view,
    text,
    edits: [...Array.from(view.edits), view.text.length, text.length, source.length, source.length],
  }
}

/** The ranges that an elision plan leaves of each part it cuts. */
export const shownByPlan = ({ steps }: Trajectory, { cuts }: Pick<ElisionPlan, 'cuts'>): Shown =>
  new Map(
    cuts.map(({ step, part: at, kept }) => {
      const part = steps[step]?.parts[at] as Part
      return [part, [0, part.text.length - kept].map((start) => ({ start, end: start + kept }))]
    }),
  )

/** Text of whole steps, framed. `omitted` says what stands between steps that do not follow each other. */
export function renderSteps(rendering: Rendering, steps: readonly number[]): string {
  const { trajectory, nonce } = rendering
  const nameOf = once((name: string) => renderName(name, nonce))
  const out: string[] = []
  let expected = 0
  for (const index of steps) {
    const step = trajectory.steps[index]
    if (step === undefined) continue
    if (index > expected) out.push(omission(rendering, expected, index))
    const run = step.run === undefined ? '' : ` · run${renderName(step.run, nonce)}`
    const agent = step.agent === undefined ? '' : ` · agent${renderName(step.agent, nonce)}`
    const note = step.copied ? ' · copied from an earlier segment, not new behaviour' : ''
    out.push(`=== STEP ${step.id}${run}${agent} · ${nonce}${note} ===\n`)
    for (const part of step.parts) {
      const notes = renderActNotes(part.act)
      out.push(`--- ${part.actor}${nameOf(part.name)}${notes} · ${nonce} ---\n`, rendering.view(part).text, '\n')
    }
    expected = index + 1
  }
  const total = trajectory.steps.length
  if (expected < total) out.push(omission(rendering, expected, total))
  out.push(`=== END OF TRAJECTORY · ${nonce} ===\n`)
  return out.join('')
}

function omission(rendering: Rendering, from: number, to: number): string {
  const first = rendering.trajectory.steps[from]?.id
  const last = rendering.trajectory.steps[to - 1]?.id
  return `=== OMITTED here: steps ${first} to ${last} · ${rendering.nonce} ===\n`
}

/** A name comes from the trajectory: it must not pass for a note of ours, which the dot sets off. */
export const renderName = (name: string, nonce: string): string =>
  name === '' ? '' : ` ${viewPart(name, nonce).text.replaceAll('\n', ' ').replaceAll('·', '⟨U+00B7⟩')}`

/** Counts the steps, characters and media that the judge saw, as the receipt says it. */
export function coverageOf({ trajectory: { steps }, pictures, hidden }: Rendering, windows: number): Coverage {
  const media = steps.flatMap(({ parts }) => parts.filter((part) => part.media))
  return {
    steps_shown: steps.length,
    steps_total: steps.length,
    elided_chars: [...hidden.values()].flat().reduce((sum, { start, end }) => sum + end - start, 0),
    media_parts: media.length,
    media_shown: media.filter((part) => pictures.has(part)).length,
    windows,
  }
}

/** Marks by which harnesses cut the output of a tool before the agent reads it. */
const CUT_MARK = new RegExp(data.cut_marks.join('|'), 'u')
/** Stems of the marks: only text around a stem is held against the marks. */
const STEMS = ['truncated', 'elided', 'omitted', 'persisted-output', 'response clipped', 'more lines]']
const AROUND = 60

/** Tells whether the judge saw what the agent saw. A run can imitate a mark of a harness: then its input counts as truncated. Linear. */
export function inputStateOf(trajectory: Trajectory, coverage: Coverage): InputState {
  const { compacted = false, unread, steps } = trajectory
  const isCut = steps.some(({ parts }) => parts.some(({ actor, text }) => actor === 'tool_output' && hasCutMark(text)))
  const truncated_by: InputState['truncated_by'] = [
    ...(isCut ? (['harness'] as const) : []),
    ...(coverage.elided_chars > 0 ? (['window'] as const) : []),
  ]
  const missing = { records: unread.records, media: Math.max(0, coverage.media_parts - (coverage.media_shown ?? 0)) }
  const isMissing = missing.records + missing.media > 0
  const state = isMissing
    ? 'parts_missing'
    : truncated_by.length > 0
      ? 'truncated'
      : compacted
        ? 'compacted'
        : 'complete'
  return { state, compacted, truncated_by, missing }
}

function hasCutMark(text: string): boolean {
  const lower = text.toLowerCase()
  return STEMS.some((stem) => {
    for (let at = lower.indexOf(stem); at !== -1; at = lower.indexOf(stem, at + stem.length))
      if (CUT_MARK.test(lower.slice(Math.max(0, at - AROUND), at + AROUND))) return true
    return false
  })
}

/** A picture that goes to the judge with the text of the trajectory. */
interface ShownPicture {
  /** Of the trajectory, from 1; equal pictures share one, and are sent once. */
  readonly number: number
  /** The mark in the text where the picture stands in the trajectory; it holds the nonce, so that no text can pass for a mark. */
  readonly mark: string
  /** Of the step that shows it first. */
  readonly step_id: number
  readonly picture: Picture
}

export type ShownPictures = ReadonlyMap<Part, ShownPicture>

export const NO_PICTURES: ShownPictures = new Map()

/** Pictures of one request. Anthropic takes more, but then none above 2000 pixels. */
export const MOST_PICTURES = 20
/** Characters of base64 in one request, of which Anthropic takes 32 MB with all that is in it. */
const MOST_PICTURES_CHARS = 20 * 1024 * 1024

/** A bound of the tokens that either provider counts for one picture of its current models: Anthropic at most 4784, OpenAI 2500 patches of a small model. */
const MOST_PICTURE_TOKENS = 5000
/** A picture’s label and the least that is counted for it. */
const LEAST_PICTURE_TOKENS = 300
const PATCH_SIDE = 32
const TOKENS_OF_PATCH = 2.5

/**
 * Tokens that a picture does not exceed with either provider: Anthropic counts width × height / 750; OpenAI 85 and 170 for each 512 × 512 pixels, or up
 * to 2.46 for each 32 × 32. Read from their documentation in November 2026.
 */
function pictureTokens({ width, height }: Pick<Picture, 'width' | 'height'>): number {
  const patches = Math.ceil(width / PATCH_SIDE) * Math.ceil(height / PATCH_SIDE)
  return Math.min(MOST_PICTURE_TOKENS, LEAST_PICTURE_TOKENS + Math.ceil(patches * TOKENS_OF_PATCH))
}

/** Chooses the pictures that fit a request and `most_tokens`: those of tool output first, in order; equal ones once. */
export function choosePictures(trajectory: Trajectory, nonce: string, most_tokens: () => number): ShownPictures {
  const found = trajectory.steps.flatMap(({ id, parts }) =>
    parts.flatMap((part) => (part.picture === undefined ? [] : [{ part, step_id: id, picture: part.picture }])),
  )
  if (found.length === 0) return NO_PICTURES
  const isPrinted = ({ part }: { readonly part: Part }): number => Number(part.actor === 'tool_output')
  const ranked = found.toSorted((a, b) => isPrinted(b) - isPrinted(a)).map(({ picture }) => picture)
  const chosen = chooseWithin(ranked, most_tokens())
  const numbered = new Map<string, ShownPicture>()
  const shown = new Map<Part, ShownPicture>()
  for (const { part, step_id, picture } of found.filter(({ picture }) => chosen.has(picture.digest))) {
    const number = numbered.size + 1
    const mark = `[image ${number} · ${picture.media_type} · ${nonce}]`
    const known = numbered.get(picture.digest) ?? { number, mark, step_id, picture }
    numbered.set(picture.digest, known)
    shown.set(part, known)
  }
  return shown
}

/** Digests of the pictures that fit, the first before the later ones. */
function chooseWithin(pictures: readonly Picture[], most_tokens: number): ReadonlySet<string> {
  const chosen = new Set<string>()
  let [chars, tokens] = [0, 0]
  for (const picture of pictures) {
    if (chosen.size === MOST_PICTURES) break
    const more = { chars: chars + picture.data.length, tokens: tokens + pictureTokens(picture) }
    if (chosen.has(picture.digest) || more.chars > MOST_PICTURES_CHARS || more.tokens > most_tokens) continue
    chosen.add(picture.digest)
    ;({ chars, tokens } = more)
  }
  return chosen
}

/** The pictures that a text of the trajectory shows, each once, by their numbers. */
export const picturesIn = (pictures: ShownPictures, text: string): ShownPicture[] =>
  [...new Set(pictures.values())].filter(({ mark }) => text.includes(mark))

export const tokensOfPictures = (pictures: readonly Pick<ShownPicture, 'picture'>[]): number =>
  pictures.reduce((sum, { picture }) => sum + pictureTokens(picture), 0)
