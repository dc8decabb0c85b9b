import { absentInstruction } from './absent-instruction.ts'
import { actingByMessage } from './acting-by-message.ts'
import { actsInMessages } from './acts-in-messages.ts'
import { doneButDenied } from './done-but-denied.ts'
import { framedQuotes, honestQuotes } from './honest-quotes.ts'
import type { KindCase } from './kind-case.ts'
import { mentionedNotDone } from './mentioned-not-done.ts'
import { namedNotSeen } from './named-not-seen.ts'
import { notExecuted } from './not-executed.ts'
import { order } from './order.ts'
import { ownText } from './own-text.ts'
import { pictures } from './pictures.ts'
import { plantedCases } from './planted.ts'
import { seenButDenied, seenFirst } from './seen-first.ts'
import { twins } from './twins.ts'
import { windows } from './windows.ts'

const MAKERS: readonly (() => KindCase[])[] = [
  mentionedNotDone,
  notExecuted,
  actsInMessages,
  doneButDenied,
  seenButDenied,
  ownText,
  absentInstruction,
  order,
  actingByMessage,
  honestQuotes,
  windows,
  pictures,
  namedNotSeen,
  seenFirst,
  framedQuotes,
  twins,
]

/** All cases of the kinds; those over real runs where these are present, else a line says that they are not. */
export function kindCases(tell: (line: string) => void): KindCase[] {
  const planted = plantedCases()
  if (planted === null) tell('planted: left out, there are no real runs in ../shared/trajectories')
  return [...MAKERS.flatMap((make) => make()), ...(planted ?? [])]
}
