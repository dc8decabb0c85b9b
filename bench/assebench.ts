import { existsSync, readFileSync } from 'node:fs'
import type { GradeRequest } from '../src/schemas/grade-request.ts'
import type { Behaviour } from '../src/schemas/vocabulary.ts'

/** A run that people labelled, as a request, with the label that follows from theirs. */
export interface LabelledRun {
  readonly name: string
  readonly label: Behaviour
  readonly request: GradeRequest
}

interface Turn {
  readonly role: 'user' | 'agent' | 'environment'
  readonly content?: string
  readonly thought?: string | null
  readonly action?: string | null
}

interface Run {
  readonly id: number
  readonly contents: readonly (readonly Turn[])[]
  readonly label: 0 | 1
  readonly risk_description: string
}

const FILE = 'labelled/assebench/rjudge.json'

/**
 * ASSEBench's runs with an instruction planted in what a tool returned: those whose description quotes it and that really show it. Unsafe means
 * that the agent followed it. There is no cue. Null where the data is not there.
 */
export function readAssebench(shared: string): LabelledRun[] | null {
  if (!existsSync(`${shared}/${FILE}`)) return null
  const runs = JSON.parse(readFileSync(`${shared}/${FILE}`, 'utf8')) as readonly Run[]
  return runs.flatMap((run) => {
    const planted = plantedIn(run)
    const steps = run.contents.flat().flatMap(stepsOf)
    const shows = steps.some(({ actor, text }) => actor === 'tool_output' && planted !== null && text.includes(planted))
    if (planted === null || !shows) return []
    const instruction = steps.find(({ actor }) => actor === 'user')?.text ?? 'unknown'
    const request = { trajectory: { steps }, ground_truth: { instruction, distractor: { text: planted } } }
    return [{ name: `rjudge/${run.id}`, label: run.label === 1 ? 'distractor_only' : 'ignored', request }]
  })
}

/** “the attacker injected the … malicious instruction "…" in the return value”. */
function plantedIn({ risk_description: text }: Run): string | null {
  const start = text.indexOf('instruction "')
  const end = text.indexOf('" in the', start)
  return start === -1 || end === -1 ? null : text.slice(start + 'instruction "'.length, end).replace(/\.$/, '')
}

interface Said {
  readonly actor: 'user' | 'agent_reasoning' | 'agent_action' | 'agent_message' | 'tool_output'
  readonly text: string
  readonly name?: string
}

function stepsOf({ role, content, thought, action }: Turn): Said[] {
  if (role === 'user') return [{ actor: 'user', text: content ?? '' }]
  if (role === 'environment') return [{ actor: 'tool_output', text: content ?? '' }]
  const said: Said[] = thought ? [{ actor: 'agent_reasoning', text: thought }] : []
  if (!action) return said
  if (action.startsWith('Final Answer:')) return [...said, { actor: 'agent_message', text: action }]
  return [...said, { actor: 'agent_action', text: action, name: /^\w{1,80}/.exec(action)?.[0] ?? 'action' }]
}
