import { isAbsent, type Json } from '../../src/formats/common/reading.ts'
import type { Actor } from '../../src/schemas/vocabulary.ts'
import { LabelFault, textField } from './labelled-item.ts'

/** A step of the plain step list. */
export interface SaidStep {
  readonly agent?: string
  readonly parts: readonly SaidPart[]
}

export interface SaidPart {
  readonly actor: Actor
  readonly text: string
  readonly name?: string
}

/** Steps are numbered from 1 by their place. */
export const stepDocument = (steps: readonly SaidStep[]): Record<string, unknown> => ({
  steps: steps.map((step, index) => ({ step_id: index + 1, ...step })),
})

/** Who runs code in a team, and says nothing of its own. */
const TERMINALS = new Set(['Computer_terminal', 'ComputerTerminal'])

/**
 * The turns of a team of agents, as AutoGen and Magentic-One log them: `{role, content}` with the speaker in `name`, or in `role`, which says after
 * it in brackets what kind of turn it is. What the person asks is `user`; a thought is reasoning; what a terminal answers is tool output; the blocks
 * of code in the message before it are what the agent did; everything else is said.
 */
export function turnsOfTeam(history: readonly Json[], path: string): SaidStep[] {
  const turns = history.map((entry, index) => turnOf(entry, `${path}/${index}`))
  return turns.map(({ speaker, kind, text }, index): SaidStep => {
    if (speaker === null) return { parts: [{ actor: 'user', text }] }
    if (TERMINALS.has(speaker)) return { agent: speaker, parts: [{ actor: 'tool_output', text }] }
    if (kind === 'thought') return { agent: speaker, parts: [{ actor: 'agent_reasoning', text }] }
    const next = turns[index + 1]?.speaker ?? null
    const isRun = next !== null && TERMINALS.has(next)
    return { agent: speaker, parts: isRun ? saidAndDone(text) : [{ actor: 'agent_message', text }] }
  })
}

interface Turn {
  /** Null: the person. */
  readonly speaker: string | null
  readonly kind: string
  readonly text: string
}

function turnOf(entry: Json, path: string): Turn {
  const text = textField(entry, 'content', path)
  const role = textField(entry, 'role', path)
  const { name } = entry
  if (!isAbsent(name) && typeof name !== 'string') throw new LabelFault(`${path}/name`, 'must be text')
  if (isAbsent(name) && role === 'human') return { speaker: null, kind: '', text }
  const said = name ?? role
  const bracket = said.indexOf(' (')
  const speaker = bracket === -1 ? said : said.slice(0, bracket)
  if (speaker === '') throw new LabelFault(`${path}/role`, 'names nobody')
  return { speaker, kind: bracket === -1 ? '' : said.slice(bracket + 2, -1), text }
}

function saidAndDone(text: string): SaidPart[] {
  const pieces = cutFences(text)
  if (!pieces.some(({ code }) => code !== null)) return [{ actor: 'agent_message', text }]
  return pieces.map(({ text: own, code }) =>
    code === null ? { actor: 'agent_message', text: own } : { actor: 'agent_action', text: own, name: code },
  )
}

/** A piece of a message: what is said, or a block of code between fences. */
interface Piece {
  readonly text: string
  /** Of a block: the language that its fence names; null: it is said. */
  readonly code: string | null
}

const FENCE = '```'

/** Cuts a message at its fenced blocks, fences left out. A block that is not closed is said. One pass over the lines. */
export function cutFences(message: string): Piece[] {
  const pieces: Piece[] = []
  let said: string[] = []
  let block: { readonly fence: string; readonly lines: string[] } | null = null
  const flush = () => {
    if (said.some((line) => line.trim() !== '')) pieces.push({ text: said.join('\n'), code: null })
    said = []
  }
  for (const line of message.split('\n')) {
    const isFence = line.trimStart().startsWith(FENCE)
    if (block === null) {
      if (isFence) block = { fence: line, lines: [] }
      else said.push(line)
    } else if (isFence) {
      flush()
      if (block.lines.length > 0) pieces.push({ text: block.lines.join('\n'), code: languageOf(block.fence) })
      block = null
    } else block.lines.push(line)
  }
  if (block !== null) said.push(block.fence, ...block.lines)
  flush()
  return pieces
}

const languageOf = (fence: string): string => /^\w{1,20}/.exec(fence.trim().slice(FENCE.length))?.[0] ?? 'code'
