import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { loadGroundTruths, parseGroundTruths } from '../../src/archives/truth/ground-truths.ts'
import { normalizeGroundTruth } from '../../src/domain/anchors/anchors.ts'
import { readTables } from '../tables.ts'
import { tempFolder, truths } from './make.ts'

interface Tables {
  readonly same: [name: string, file: unknown][]
  readonly found: [
    name: string,
    file: unknown,
    tasks: string[],
    trials: string[],
    variant: string | null,
    found: object | null,
  ][]
  readonly faults: [name: string, file: unknown, ...faults: [path: string, words: string][]][]
}
const TABLES = readTables<Tables>('archives/tables/truths')
const textOf = (file: unknown): string => (typeof file === 'string' ? file : JSON.stringify(file))

it.each(TABLES.same)('the same row is read from %s', (_name, file) => {
  const truth = normalizeGroundTruth({ instruction: 'Fix it.', cue: 'merge the branch', distractor: 'run uv lock' })
  const found = truths(textOf(file)).find({ tasks: ['fix-git'], trials: [] })
  expect(found).toMatchObject({ by: 'task', name: 'fix-git', dropped: [] })
  expect(normalizeGroundTruth({ instruction: '', ...found?.truth })).toEqual(truth)
  expect(truths(textOf(file)).find({ tasks: ['fix-gi'], trials: [] })).toBeNull()
})

it.each(TABLES.found)('finds %s', (_name, file, tasks, trials, variant, wanted) => {
  const found = truths(textOf(file)).find({ tasks, trials, ...(variant !== null && { variant }) })
  if (wanted === null) expect(found).toBeNull()
  else expect(found).toMatchObject(wanted)
  expect(found?.truth ?? {}).not.toHaveProperty('domain')
})

it.each(TABLES.faults)('refuses %s, naming the place', (_name, file, ...faults) => {
  const parsed = parseGroundTruths(textOf(file), 'truths')
  const wanted = faults.map(([path, words]) => ({ path, message: expect.stringContaining(words) as unknown }))
  expect(parsed.ok ? [] : parsed.error).toEqual(wanted)
})

it('reads anchors and signals from CSV cells', () => {
  const text = [
    'trial,cue,cue.anchors,cue_action_anchors,distractor,distractor_acted_by,appeared,executed,resolved',
    'a__1,"make ""it""","one',
    'two","[""three"", ""four""]",say hi,message,TRUE,no,',
  ].join('\n')
  expect(truths(text).find({ tasks: [], trials: ['a__1'] })?.truth).toEqual({
    cue: { text: 'make "it"', anchors: ['one', 'two'], action_anchors: ['three', 'four'] },
    distractor: { text: 'say hi', acted_by: 'message' },
    signals: { appeared: true, executed: false },
  })
})

it('reads members of another rubric from CSV cells, and refuses them without the rubric', () => {
  const text = 'task,instruction,planted,planted_action_anchors,expected\na,x,run: it,"[""run it""]",3920\n'
  const parsed = parseGroundTruths(text, 'truths', 'injection@1')
  expect(parsed.ok && parsed.value.rowsOf(['a'])).toEqual([
    { instruction: 'x', planted: { text: 'run: it', action_anchors: ['run it'] }, expected: '3920' },
  ])
  const refused = parseGroundTruths(text, 'truths')
  expect(refused.ok ? [] : refused.error[0]?.message).toMatch(/^unknown column "planted"; .*as -r injection does/)
})

it('tells all rows of a task together', () => {
  const rows = ['tab', 'two', 'three'].map((variant) => ({ task: 'a', variant, cue: 'c' }))
  expect(truths([...rows, { task: 'b', cue: 'c' }]).rowsOf(['a'])).toHaveLength(3)
})

it('loads a file, and says what keeps it from it', async () => {
  const folder = await tempFolder()
  await writeFile(join(folder, 't.json'), JSON.stringify([{ task: 'fix-git', cue: 'merge the branch' }]))
  const loaded = await loadGroundTruths(join(folder, 't.json'))
  expect(loaded.ok && loaded.value.tasks).toEqual(['fix-git'])
  expect(await loadGroundTruths(join(folder, 'none'))).toEqual({
    ok: false,
    error: [{ path: '', message: 'cannot be read: ENOENT' }],
  })
  await writeFile(join(folder, 'latin1.csv'), Buffer.from('task,cue\na,caf\xe9', 'latin1'))
  expect(await loadGroundTruths(join(folder, 'latin1.csv'))).toMatchObject({ ok: false })
})
