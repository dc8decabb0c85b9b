import { recall, remember } from '../ui/memory.ts'

/** Who reviews at this browser. */
const KEY = 'veridict.rater'

export const readRater = (): string => recall(KEY) ?? ''
export const rememberRater = (rater: string): void => remember(KEY, rater)

/** As the service wants it: words apart by single spaces, nothing that cannot be seen. */
export const tidyRater = (typed: string): string => typed.trim().split(/\s+/).join(' ')
