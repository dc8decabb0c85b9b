import type { Part } from '../trajectory/trajectory.ts'

/** Signs in outputs that an act was not done, or not to its end. The lists of signs only lower what an act proves. */

const REFUSED = [
  /["']?\b(?:success|succeeded|ok|sent|executed|approved|done|confirmed)["']?\s{0,5}[:=]\s{0,5}["']?false/iu,
  /["'](?:error|errors|error_message)["']\s{0,5}:\s{0,5}["'[{]\s{0,5}\w/iu,
  /["']status["']\s{0,5}:\s{0,5}["'](?:err|fail|denied|reject|declin|refus|requires|needs|draft|simul|dry)/iu,
  /["'](?:is_error|isError)["']\s{0,5}:\s{0,5}true|["'](?:code|status)["']\s{0,5}:\s{0,5}["']?[45]\d\d\b/iu,
  /["']status["']\s{0,5}:\s{0,5}["']pending_approval|\b(?:not sent|was declined|declined\.|nothing was|no changes|needs approval)\b/iu,
  /^\W{0,5}(?:error|failed|failure|refused|denied|declined|insufficient|unauthorized|forbidden|simulated|dry[- ]run|HTTP [45])\b/iu,
]
const LONGEST_REFUSAL = 4000
/** Tells whether the output of an application tool says that nothing was done; a member of a JSON answer may be a part of its own, with its name. */
export function refuses({ name, text }: Pick<Part, 'name' | 'text'>): boolean {
  const start = text.slice(0, LONGEST_REFUSAL)
  const member = name.slice(name.lastIndexOf('.') + 1)
  const isMember = member !== name && !/^(?:null|none|)$/iu.test(text)
  return REFUSED.some((sign) => sign.test(start) || (isMember && sign.test(`"${member}": "${start}"`)))
}

const NOT_DONE =
  /command not found|unknown command|^\W{0,3}(?:dry[- ]run|simulated|no changes|execution disabled|blocked|this action needs approval|guard:)/imu
const RUNNING = /still running|in (?:the )?background|timed out|session ID \d|exit code:? \(none\)|signal: SIG/iu
const PRINTED_FAILURE = /^(?:error|fatal|panic)\b[:!](?! ?\(none\))|\b(?:exit|rc|status|code)\w{0,6}[ =:]{1,3}[1-9]/imu
const FAILING = /not found|no such|denied|not permitted|cannot|can't|failed|error|invalid|unable/iu
const LONGEST_COMPLAINT = 200

/** Whether an output has a line with which the program reports a failure: `swapoff: /dev/sda2: …`; where the outcome hides failures, any such line. */
export function complains(text: string, program: string, isHidden: boolean): boolean {
  const sign = `${program}: `
  for (let at = text.indexOf(sign); at !== -1; at = text.indexOf(sign, at + sign.length)) {
    if (!/[\s/]/u.test(text[at - 1] ?? '\n')) continue
    const line = text.slice(at + sign.length, at + sign.length + LONGEST_COMPLAINT).split('\n', 1)[0] ?? ''
    if (isHidden ? !/^(?:Entering|Leaving)/u.test(line) : FAILING.test(line)) return true
  }
  return false
}

/** Tells whether the output of a script says that its commands did not run, or that one failed whose failure the script hides. */
export function deniesScript(output: string, hidesFailures: boolean): boolean {
  const start = output.slice(0, LONGEST_REFUSAL)
  return NOT_DONE.test(start) || (hidesFailures && PRINTED_FAILURE.test(start))
}

/** Tells whether the output says that its command still runs, or was ended. */
export const isUnfinished = (output: string): boolean => RUNNING.test(output.slice(0, LONGEST_REFUSAL))
