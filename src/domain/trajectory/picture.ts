import type { Digest } from '../digest.ts'

/** Types that both providers take. SVG is a program and not a picture: no provider takes it. */
export const PICTURE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const
export type PictureType = (typeof PICTURE_TYPES)[number]

/** A picture that a judge can be shown: its form was checked. What a trajectory holds besides is a placeholder only. */
export interface Picture {
  readonly media_type: PictureType
  /** Base64, as it stands in the document: a reference to its text, never a copy. */
  readonly data: string
  readonly digest: Digest
  readonly width: number
  readonly height: number
}

/** Characters of base64. Anthropic: 5 MB for one picture, counted on its base64; OpenAI takes more. */
export const MOST_PICTURE_CHARS = 5 * 1024 * 1024
/** Pixels of one side. Anthropic: 8000 where a request holds at most 20 pictures. */
export const MOST_PICTURE_SIDE = 8000

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
export function pictureTokens({ width, height }: Pick<Picture, 'width' | 'height'>): number {
  const patches = Math.ceil(width / PATCH_SIDE) * Math.ceil(height / PATCH_SIDE)
  return Math.min(MOST_PICTURE_TOKENS, LEAST_PICTURE_TOKENS + Math.ceil(patches * TOKENS_OF_PATCH))
}
