import type { Part, Picture, Trajectory } from './trajectory.ts'

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

/**
 * Chooses the pictures that the judge is shown, where there are more than a request can hold: those that a tool printed before all others, in the
 * order of the trajectory; equal ones once.
 *
 * @param most_tokens that they may cost together
 */
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
