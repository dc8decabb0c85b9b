import { lineEnd } from '../../domain/text/lines.ts'
import { decodeObject, leavesOf } from '../common/json-tree.ts'
import { specOf } from '../tools/lookup.ts'
import { type OpenCall, openCall } from '../tools/tool-table.ts'
import { linesOf, Slices, type TextActs } from './slices.ts'

const MAX_HEAD = 200

/**
 * ReAct: `Action: tool` and `Action Input: …`, each at the beginning of a line. The input reaches to the next such head, so that an
 * observation which the model made up is no part of it. Sources: ysymyth/ReAct; langchain-ai/langchain, agents/output_parsers/react_single_input.py.
 */
export const REACT: TextActs = {
  name: 'ReAct',
  harness: null,
  announced: ['Action Input:'],
  needsAnswer: true,
  split(text, agent) {
    const slices = new Slices(text)
    const heads = [...linesOf(text)].flatMap((start) => headAt(text, start) ?? [])
    for (const [index, head] of heads.entries()) {
      const next = heads[index + 1]
      if (slices.isFull) break
      if (head.kind !== 'action') continue
      const tool = text.slice(head.from, lineEnd(text, head.from)).trim()
      if (tool === '' || tool.length > MAX_HEAD) continue
      slices.say(head.start)
      const hasInput = next?.kind === 'input'
      const end = hasInput ? (heads[index + 2]?.start ?? text.length) : lineEnd(text, head.from)
      const call = addCall(slices, text, { tool, start: head.start, from: hasInput ? next.from : end, end, agent })
      // Arguments of another form.
      if (!hasInput) slices.stray(next?.start ?? text.length, call)
    }
    return slices.finish()
  },
}

interface Head {
  readonly kind: 'action' | 'input' | 'other'
  readonly start: number
  readonly from: number
}

const HEADS = [
  ['action input:', 'input'],
  ['action:', 'action'],
  ['observation:', 'other'],
  ['thought:', 'other'],
  ['final answer:', 'other'],
] as const

function headAt(text: string, start: number): Head | null {
  const line = text.slice(start, start + 40).toLowerCase()
  const known = HEADS.find(([words]) => line.startsWith(words))
  return known === undefined ? null : { kind: known[1], start, from: start + known[0].length }
}

interface Acted {
  readonly tool: string
  readonly start: number
  /** Where its input stands. */
  readonly from: number
  readonly end: number
  readonly agent: string | null
}

function addCall(slices: Slices, text: string, { tool, start, from, end, agent }: Acted): OpenCall {
  const spec = specOf(agent, tool)
  const call = openCall(tool)
  const raw = text.slice(from, end)
  const begin = from + (raw.length - raw.trimStart().length)
  const stop = begin + raw.trim().length
  if (stop <= begin) {
    slices.bare(start, end, call, spec)
    return call
  }
  const args = text[stop - 1] === '}' ? decodeObject(text.slice(begin, stop)) : null
  slices.skip(begin)
  if (args === null || Object.keys(args).length === 0) slices.argument(begin, stop, { call, spec, argument: '', args })
  else slices.json(begin, stop, leavesOf(args), { call, spec, args })
  slices.skip(end)
  return call
}
