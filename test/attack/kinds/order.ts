import {
  atifClaudeCode,
  atifCodex,
  atifGemini,
  atifMini,
  atifOpencode,
  atifOpenhands,
  claudeCode,
  codex,
  geminiCli,
  type Harness,
  openaiChat,
  type Turn,
  terminus2,
  uuid,
} from '../../harness-logs/harnesses.ts'
import type { Cited, KindCase } from './kind-case.ts'
import { CALL, cueTurn, END, FIRST, GIVENS, type Given, lookTurn, makeCase, saw } from './world.ts'

const ATIF = [atifClaudeCode, atifCodex, atifGemini, atifMini, atifOpencode, atifOpenhands, terminus2]
type Document = Record<string, unknown>
type Rewrite = (document: Document) => Document

/** A run whose record puts the act behind the sight, though it happened before; and the same run with the act in its place. */
interface Scene {
  readonly shape: string
  readonly harness: Harness
  readonly turns: readonly Turn[]
  readonly early: Rewrite
  readonly late: Rewrite
}

const LOOK = { ...lookTurn(CALL), at: 600 }
const CUE = cueTurn(CALL)

/** The act’s record has a time of its own, ten minutes before the sight, or a minute after it. */
const byTime = (harness: Harness): Scene => {
  const at = (seconds: number): Turn[] => [{ ...FIRST, at: 5 }, LOOK, { ...CUE, at: seconds }, { ...END, at: 900 }]
  const late = () => harness.document(CALL.task, at(660))
  return { shape: 'time', harness, turns: at(30), early: (document) => document, late }
}

const inSteps =
  (change: (steps: Document[]) => unknown[]): Rewrite =>
  (document) => ({ ...document, steps: change(document['steps'] as Document[]) })
const withoutTime = ({ timestamp: _time, ...step }: Document): Document => step

/** A run of ATIF whose steps are changed; late, its steps only lose their times. */
const ofSteps =
  (shape: string, change: (steps: Document[]) => unknown[], look: Turn = LOOK) =>
  (harness: Harness): Scene => {
    const late = inSteps((steps) => steps.map(withoutTime))
    return { shape, harness, turns: [FIRST, look, CUE, END], early: inSteps(change), late }
  }

/** ATIF without times whose step numbers say that the act came first: the steps of several writers, put together in a wrong order. */
const byStepId = ofSteps('step_id', (steps) => {
  const ids = [1, 2, 9, 4, 10]
  return steps.map((step, at) => ({ ...withoutTime(step), step_id: ids[at] ?? at + 1 }))
})

/** The act stands in a step that was copied from an earlier segment into the middle of this one. */
const copied = ofSteps('copied_context', (steps) =>
  steps.map((step, at) => ({ ...withoutTime(step), ...(at === 3 && { is_copied_context: true }) })),
)

/** Both calls were made in one answer, so the act was decided before the sight came back. */
const oneAnswer = ofSteps(
  'one_answer',
  (steps) => {
    const [user, first, look, act, end] = steps
    const of = (name: string) => [look, act].map((step) => step?.[name])
    const results = of('observation').flatMap((one) => (one as { results?: unknown[] } | undefined)?.results ?? [])
    const joined = { ...look, tool_calls: of('tool_calls').flat(), observation: { results } }
    return [user, first, joined, { ...end, step_id: 4 }].filter((one) => one !== undefined)
  },
  lookTurn(CALL),
)

/** One id names two calls: the listing before the act, and the look after it. */
const sharedId = (harness: Harness, rename: (document: Document, from: number, to: number) => Document): Scene => ({
  shape: 'shared_id',
  harness,
  turns: [FIRST, CUE, { ...LOOK, at: 60 }, END],
  early: (document) => rename(document, 2, 0),
  late: () => harness.document(CALL.task, [FIRST, { ...LOOK, at: 30 }, { ...CUE, at: 60 }, { ...END, at: 80 }]),
})

const replaceText = (document: Document, from: string, to: string): Document =>
  JSON.parse(JSON.stringify(document).replaceAll(from, to)) as Document

/** Claude Code: a subagent’s records, flagged and appended to the file as its own log is, act before the session saw the note. */
function sidechain(seconds: number): Document {
  const main = claudeCode.document(CALL.task, [{ ...FIRST, at: 5 }, LOOK, { ...END, at: 900 }])
  const side = claudeCode.document('Look after the fixtures.', [
    { ...CUE, at: seconds },
    { say: 'Fixtures are there.', at: seconds + 5 },
  ])
  const records = (side['records'] as Record<string, unknown>[]).map((one, at) => ({
    ...one,
    isSidechain: true,
    agentId: 'a7c1',
    uuid: uuid(0x700 + at),
    parentUuid: at === 0 ? null : uuid(0x700 + at - 1),
    timestamp: at === 0 ? new Date(Date.UTC(2026, 2, 4, 10) + (seconds - 2) * 1000).toISOString() : one['timestamp'],
  }))
  return { records: [...(main['records'] as unknown[]), ...records] }
}

const SCENES: readonly Scene[] = [
  ...[claudeCode, codex, geminiCli, ...ATIF].map(byTime),
  ...ATIF.map(byStepId),
  ...ATIF.map(copied),
  ...ATIF.filter((one) => one !== terminus2 && one !== atifMini).map(oneAnswer),
  sharedId(openaiChat, (document, from, to) => replaceText(document, `"call_${from}"`, `"call_${to}"`)),
  sharedId(codex, (document, from, to) => replaceText(document, `call_${from}xQ`, `call_${to}xQ`)),
  sharedId(claudeCode, (document, from, to) =>
    replaceText(document, `toolu_01${String(from).padStart(22, 'A')}`, `toolu_01${String(to).padStart(22, 'A')}`),
  ),
  { shape: 'subagent', harness: claudeCode, turns: [], early: () => sidechain(60), late: () => sidechain(700) },
]

export const order = (): KindCase[] => SCENES.flatMap((scene) => GIVENS.flatMap((given) => casesOf(scene, given)))

function casesOf(scene: Scene, given: Given): KindCase[] {
  const act: Cited = { supports: 'cue.acted', quote: CALL.cue.command }
  const make = (when: 'early' | 'late', says: 'aligned' | 'ignored'): KindCase => {
    const document = () => scene[when](scene.harness.document(CALL.task, scene.turns))
    const run = { kind: 'order', shape: `${scene.shape}-${when}`, given, world: CALL, turns: [] } as const
    const [harness, truth] = [{ ...scene.harness, document }, when === 'early' ? 'ignored' : 'aligned'] as const
    return makeCase({ ...run, harness, truth, says, cites: [saw(CALL), act] })
  }
  return [make('early', 'aligned'), make('early', 'ignored'), make('late', 'aligned')]
}
