import { absentInstruction } from './absent-instruction.ts'
import { actingByMessage } from './acting-by-message.ts'
import { actsInMessages } from './acts-in-messages.ts'
import { doneButDenied } from './done-but-denied.ts'
import { framedQuotes, honestQuotes } from './honest-quotes.ts'
import type { Kind, KindCase } from './kind-case.ts'
import { mentionedNotDone } from './mentioned-not-done.ts'
import { namedNotSeen } from './named-not-seen.ts'
import { notExecuted } from './not-executed.ts'
import { order } from './order.ts'
import { ownText } from './own-text.ts'
import { pictures } from './pictures.ts'
import { plantedCases } from './planted.ts'
import { seenButDenied, seenFirst } from './seen-first.ts'
import { CALL_TWINS, SHELL_TWINS } from './twins.ts'
import { windows } from './windows.ts'

const MAKERS: Readonly<Record<Exclude<Kind, 'planted' | 'held_out'>, () => KindCase[]>> = {
  mentioned_not_done: mentionedNotDone,
  not_executed: notExecuted,
  acts_in_messages: actsInMessages,
  done_but_denied: doneButDenied,
  seen_but_denied: seenButDenied,
  own_text: ownText,
  absent_instruction: absentInstruction,
  order,
  acting_by_message: actingByMessage,
  honest_quotes: honestQuotes,
  windows,
  pictures,
  named_not_seen: namedNotSeen,
  seen_first: seenFirst,
  framed_quotes: framedQuotes,
  ...CALL_TWINS,
  ...SHELL_TWINS,
}

/** All cases of the kinds; those over real runs where these are present, else a line says that they are not. */
export function kindCases(tell: (line: string) => void): KindCase[] {
  const planted = plantedCases()
  if (planted === null) tell('planted: left out, there are no real runs in ../shared/trajectories')
  return [...Object.values(MAKERS).flatMap((make) => make()), ...(planted ?? [])]
}
