import { lineEnd } from '../../domain/text/search.ts'
import { sweActOf } from '../swe-agent/swe-agent-act.ts'
import { meaningOfKind, openCall } from '../tools/tool-table.ts'
import { linesOf, Slices, type TextActs } from './slices.ts'

/** The language in which a harness runs a fenced block, by the fence's name. */
const FENCES: Readonly<Record<string, 'shell' | 'code'>> = {
  ...{ bash: 'shell', sh: 'shell', shell: 'shell', mswea_bash_command: 'shell', bash_command: 'shell', zsh: 'shell' },
  ...{ python: 'code', py: 'code', python3: 'code', ipython: 'code' },
}

interface Fence {
  readonly name: string
  readonly start: number
  /** The range between the fence lines. */
  readonly from: number
  readonly to: number
  readonly end: number
}

/** Yields the closed fenced blocks of a text. */
function* fencesIn(text: string): Generator<Fence> {
  let open: Pick<Fence, 'name' | 'start' | 'from'> | null = null
  for (const start of linesOf(text)) {
    if (!text.startsWith('```', start)) continue
    const end = lineEnd(text, start)
    if (open !== null) yield { ...open, to: start, end }
    const name = text.slice(start + 3, Math.min(end, start + 40)).trim()
    open = open === null ? { start, from: Math.min(text.length, end + 1), name } : null
  }
}

/**
 * The protocol of a fenced block that a harness runs (SWE-agent/mini-swe-agent, xingyaoww/code-act). People also show commands to each
 * other in this form.
 */
export const FENCED: TextActs = {
  name: 'fenced blocks',
  harness: null,
  announced: [],
  needsAnswer: true,
  split(text) {
    const slices = new Slices(text)
    for (const { name, start, from, to, end } of fencesIn(text)) {
      if (slices.isFull) break
      const kind = Object.hasOwn(FENCES, name.toLowerCase()) ? FENCES[name.toLowerCase()] : undefined
      if (kind === undefined) continue
      slices.say(start)
      slices.skip(from)
      const call = openCall(name)
      slices.piece(from, to, { name: kind === 'shell' ? 'bash' : 'python', ...meaningOfKind(kind, null, call) })
      slices.skip(end)
    }
    return slices.finish()
  },
}

/**
 * The protocol of SWE-agent's replies: a discussion, then a command in the last block, which has no name. Source: SWE-agent/SWE-agent,
 * sweagent/tools/parsing.py.
 */
export const DISCUSSED: TextActs = {
  name: 'discussion and command',
  harness: 'swe-agent',
  announced: ['two fields; discussion and command'],
  needsAnswer: true,
  // A program's output is shown in this form, too.
  needsPrompt: true,
  split(text) {
    const last = [...fencesIn(text)].at(-1)
    if (last === undefined || last.name !== '') return null
    const slices = new Slices(text)
    slices.say(last.start)
    slices.skip(last.from)
    const act = sweActOf(text.slice(last.from, last.to), '')
    slices.piece(last.from, last.to, { name: 'action', actor: 'agent_action', act })
    slices.skip(last.end)
    return slices.finish()
  },
}
