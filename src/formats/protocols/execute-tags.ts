import { meaningOfKind, openCall } from '../tools/tool-table.ts'
import { Slices } from './slices.ts'
import type { TextActs } from './text-acts.ts'

/** What each tag of CodeAct runs. Source: All-Hands-AI/OpenHands before 0.14, agenthub/codeact_agent/action_parser.py. */
const TAGS = [
  ['execute_bash', 'shell'],
  ['execute_ipython', 'code'],
  ['execute_browse', 'unknown'],
  ['execute_global', 'shell'],
] as const

/** `<execute_bash>…</execute_bash>`. The harness stops the model at the closing tag, so that it may be missing. */
export const EXECUTE_TAGS: TextActs = {
  name: 'execute tags',
  harness: 'openhands',
  announced: TAGS.map(([tag]) => `<${tag}>`),
  needsAnswer: false,
  split(text) {
    const slices = new Slices(text)
    for (let start = text.indexOf('<execute_'); start !== -1 && !slices.isFull; ) {
      const [tag, kind] = TAGS.find(([name]) => text.startsWith(`<${name}>`, start)) ?? [null, null]
      if (tag === null) {
        start = text.indexOf('<execute_', start + 1)
        continue
      }
      const from = start + tag.length + '<>'.length
      const stop = text.indexOf(`</${tag}>`, from)
      const [to, end] = stop === -1 ? [text.length, text.length] : [stop, stop + tag.length + '</>'.length]
      slices.say(start)
      slices.skip(from)
      slices.piece(from, to, { name: tag, ...meaningOfKind(kind, null, openCall(tag)) })
      slices.skip(end)
      start = text.indexOf('<execute_', end)
    }
    return slices.finish()
  },
}
