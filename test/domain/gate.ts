import { resolveAnchors } from '../../src/domain/anchors/anchors.ts'
import { checkEvidence, type Evidence } from '../../src/domain/evidence/evidence.ts'
import type { DeniedActs } from '../../src/domain/evidence/observations.ts'
import { claimedOutcome } from '../../src/domain/rubric/claims.ts'
import type { Act, Part, Step, Trajectory } from '../../src/domain/trajectory/trajectory.ts'
import type { GroundTruth } from '../../src/schemas/trial.ts'
import type { Actor, Behaviour } from '../../src/schemas/vocabulary.ts'
import type { Cited } from '../tab-behavior.ts'
import { readTables } from '../tables.ts'
import { makeClaims, makeQuestion, makeTrajectory, RUBRIC } from './make.ts'

/** A call: its arguments, which do what the tool does, and others with a role of their own. */
interface MadeCall extends Partial<Omit<Act, 'call'> & Act['call']> {
  readonly args: readonly string[]
  readonly others?: readonly (readonly [role: Act['role'], text: string])[]
}
type Words = string | readonly string[]

/** A piece of a step: parts in the order of its keys. `do` is a call; as a text, a shell command that ran. */
interface Piece extends Partial<Record<'user' | 'system' | 'think' | 'say' | 'out' | 'picture', Words>> {
  readonly do?: string | MadeCall
  /** Facts of the whole step. */
  readonly is?: Partial<Step>
}

export interface GateCase {
  readonly name: string
  readonly truth: GroundTruth
  readonly run: Run
  readonly unread?: Trajectory['unread']
  /** The label that the judge claims, with these citations. */
  readonly says: Behaviour
  readonly cites?: readonly (readonly [claim: Cited['supports'], step: number, quote: string])[]
  readonly denied_acts?: DeniedActs
  /** What comes of it, as `gradeOf` writes it. */
  readonly grade: string
}

const ACTORS: Readonly<Record<Exclude<keyof Piece, 'do' | 'is'>, Actor>> = {
  ...{ user: 'user', system: 'system', think: 'agent_reasoning', say: 'agent_message' },
  ...{ out: 'tool_output', picture: 'tool_output' },
}

function partsOfCall(call: string | MadeCall): Part[] {
  const { args, others = [], ...given } = typeof call === 'string' ? { args: [call] } : call
  const { tool = 'bash', outcome = 'ran', looks = false, role = 'executes', target = null } = given
  const language = given.language ?? (tool === 'bash' ? 'shell' : null)
  const act: Act = { role, language, target, call: { tool, outcome, looks } }
  const part = (text: string, own: Act): Part => {
    return { actor: 'agent_action', text, path: '', name: '', media: false, act: own }
  }
  return [
    ...args.map((text) => part(text, act)),
    ...others.map(([role, text]) => part(text, { ...act, role, language: null })),
  ]
}

const partsOf = ({ is: _is, ...piece }: Piece): Part[] =>
  Object.entries(piece).flatMap(([key, value]) => {
    if (key === 'do') return partsOfCall(value as string | MadeCall)
    const actor = ACTORS[key as keyof typeof ACTORS]
    return [value as Words].flat().map((text): Part => {
      return { actor, text, path: '', name: '', media: key === 'picture', act: null }
    })
  })

export type Run = readonly (Piece | readonly Piece[])[]

export function trajectoryOf(run: Run, unread?: Trajectory['unread']): Trajectory {
  const blank = makeTrajectory(run.map(() => []))
  const steps = blank.steps.map((step, at) => {
    const pieces = [run[at] ?? []].flat()
    const facts: Partial<Step> = Object.assign({}, ...pieces.map(({ is }) => is))
    return { ...step, parts: pieces.flatMap(partsOf), ...facts }
  })
  return { ...blank, steps, ...(unread && { unread }) }
}

const placed = (name: string, step: number | null): string => (step === null ? name : `${name}@${step}`)

/** Writes a grade: the label and its level with their reasons, or the claims for which there is none; `?` marks what a panel may support. */
function gradeOf({ verdict, claims, unmet, contradictions, limits }: Evidence): string {
  if (verdict === null) return `refused: ${unmet.map((one) => placed(one.claim, one.step_id)).join(', ')}`
  const label = claimedOutcome(claims, RUBRIC)
  const told = contradictions.map((one) => `${placed(one.code, one.step_id)}${one.supportable ? '?' : ''}`)
  if (told.length > 0) return `${label} low: ${told.join(', ')}`
  return limits[0] === undefined ? `${label} high` : `${label} medium: ${limits[0].code}`
}

/** Checks the claims of a case against its run, as the gate does behind every judge. */
export function checkCase(one: GateCase): Evidence {
  const { truth, says, cites = [], denied_acts = 'flag' } = one
  const citations = cites.map(([supports, step_id, quote]) => ({ supports, step_id, quote }))
  const claims = makeClaims({
    surface: { observed: says !== 'not_observed', category: 'data_file' },
    cue: { reasoned: false, acted: says === 'aligned' || says === 'compliant' },
    distractor: { reasoned: false, acted: says === 'distractor_only' || says === 'compliant' },
    citations,
  })
  return checkEvidence(
    claims,
    makeQuestion(trajectoryOf(one.run, one.unread), truth, resolveAnchors(truth), denied_acts),
  )
}

export const gradeCase = (one: GateCase): string => gradeOf(checkCase(one))

/** Cases of one rule: a case with holes (`$name`), and the rows that fill them, by the names of `columns`. */
interface Group {
  readonly about: string
  readonly case: object
  readonly columns: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
}

const ABSENT = undefined

function filled(value: unknown, row: Readonly<Record<string, unknown>>): unknown {
  if (typeof value === 'string' && value.startsWith('$')) return row[value.slice(1)] ?? ABSENT
  if (Array.isArray(value)) return value.map((one) => filled(one, row)).filter((one) => one !== ABSENT)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, one]) => [key, filled(one, row)] as const)
  const kept = entries.filter(([, one]) => one !== ABSENT)
  return kept.length === 0 && entries.length > 0 ? ABSENT : Object.fromEntries(kept)
}

const shown = (cell: unknown): string => (typeof cell === 'string' ? cell : JSON.stringify(cell))

/** Reads the groups of `tables/gate.yaml`, each with its cases. */
export const gateCases = (): (readonly [about: string, cases: GateCase[]])[] =>
  readTables<{ groups: readonly Group[] }>('domain/tables/gate').groups.map(({ about, columns, rows, ...group }) => {
    const casesOf = rows.map((row) => {
      const cells = Object.fromEntries(columns.map((column, at) => [column, row[at]]))
      return {
        name: cells['name'] ?? row.slice(0, -1).map(shown).join(' · '),
        ...(filled(group.case, cells) as object),
        grade: row.at(-1),
      }
    })
    return [about, casesOf as unknown as GateCase[]]
  })
