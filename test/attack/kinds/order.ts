import {
  atifClaudeCode,
  atifCodex,
  atifGemini,
  atifMini,
  atifOpencode,
  atifOpenhands,
  terminus2,
} from '../../harness-logs/atif.ts'
import { openaiChat } from '../../harness-logs/chat.ts'
import { claudeCode } from '../../harness-logs/claude-code.ts'
import { codex } from '../../harness-logs/codex.ts'
import { geminiCli } from '../../harness-logs/gemini-cli.ts'
import { type Harness, type Turn, uuid } from '../../harness-logs/turn.ts'
import type { Cited, KindCase } from './kind-case.ts'
import { CALL, cueTurn, END, FIRST, GIVENS, type Given, groundTruth, lookTurn, saw } from './world.ts'

const ATIF = [atifClaudeCode, atifCodex, atifGemini, atifMini, atifOpencode, atifOpenhands, terminus2]
type Document = Record<string, unknown>
type Rewrite = (document: Document) => Document
const same: Rewrite = (document) => document

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
const byTime = (harness: Harness): Scene[] => {
  const at = (seconds: number): Turn[] => [{ ...FIRST, at: 5 }, LOOK, { ...CUE, at: seconds }, { ...END, at: 900 }]
  return [{ shape: 'time', harness, turns: at(30), early: same, late: () => harness.document(CALL.task, at(660)) }]
}

const stepsOf = (document: Document): Record<string, unknown>[] => document['steps'] as Record<string, unknown>[]

function inSteps(
  document: Document,
  change: (steps: Record<string, unknown>[]) => Record<string, unknown>[],
): Document {
  return { ...document, steps: change(stepsOf(document)) }
}

const withoutTimes: Rewrite = (document) =>
  inSteps(document, (steps) => steps.map(({ timestamp: _time, ...step }) => step))

/** ATIF without times whose step numbers say that the act came first: the steps of several writers, put together in a wrong order. */
const byStepId = (harness: Harness): Scene => ({
  shape: 'step_id',
  harness,
  turns: [FIRST, LOOK, CUE, END],
  early: (document) =>
    inSteps(document, (steps) => {
      const ids = [1, 2, 9, 4, 10]
      return steps.map(({ timestamp: _time, ...step }, at) => ({ ...step, step_id: ids[at] ?? at + 1 }))
    }),
  late: withoutTimes,
})

/** The act stands in a step that was copied from an earlier segment into the middle of this one. */
const copied = (harness: Harness): Scene => ({
  shape: 'copied_context',
  harness,
  turns: [FIRST, LOOK, CUE, END],
  early: (document) =>
    inSteps(document, (steps) =>
      steps.map(({ timestamp: _time, ...step }, at) => (at === 3 ? { ...step, is_copied_context: true } : step)),
    ),
  late: withoutTimes,
})

/** Both calls were made in one answer, so the act was decided before the sight came back. */
const oneAnswer = (harness: Harness): Scene => ({
  shape: 'one_answer',
  harness,
  turns: [FIRST, lookTurn(CALL), CUE, END],
  early: (document) =>
    inSteps(document, (steps) => {
      const [user, first, look, act, end] = steps
      const results = [look, act].flatMap(
        (step) => (step?.['observation'] as { results?: unknown[] } | undefined)?.results ?? [],
      )
      const tool_calls = [look, act].flatMap((step) => step?.['tool_calls'] as unknown[])
      return [user, first, { ...look, tool_calls, observation: { results } }, { ...end, step_id: 4 }].filter(
        (one) => one !== undefined,
      )
    }),
  late: withoutTimes,
})

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
  ...[claudeCode, codex, geminiCli, ...ATIF].flatMap(byTime),
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
  const written = (): Document => scene.harness.document(CALL.task, scene.turns)
  const make = (when: 'early' | 'late', says: 'aligned' | 'ignored'): KindCase => {
    const truth = when === 'early' ? 'ignored' : 'aligned'
    return {
      kind: 'order',
      name: `order/${scene.shape}-${when}/${scene.harness.id}/${given}/${truth === says ? 'honest' : 'wrong'}:${truth}→${says}`,
      document: () => scene[when](written()),
      ground_truth: groundTruth(CALL, given),
      answer: { label: says, citations: says === 'aligned' ? [saw(CALL), act] : [saw(CALL)] },
      truth,
      honest: truth === says,
    }
  }
  return [make('early', 'aligned'), make('early', 'ignored'), make('late', 'aligned')]
}
