import type { Target } from './target.ts'
import { ARCHIVES } from './targets/archives.ts'
import { EVIDENCE } from './targets/evidence.ts'
import { READERS } from './targets/readers.ts'
import { REPLY } from './targets/reply.ts'
import { SHELL } from './targets/shell.ts'
import { LOCATE, RENDERING } from './targets/texts.ts'

/** Every target by its name. What its inputs are is its own affair. */
export const TARGETS = [
  ...READERS,
  EVIDENCE,
  LOCATE,
  RENDERING,
  REPLY,
  SHELL,
  ARCHIVES,
] as unknown as readonly Target<never>[]
