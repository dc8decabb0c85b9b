import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadGroundTruths, parseGroundTruths } from '../../src/archives/truth/ground-truths.ts'
import { normalizeGroundTruth } from '../../src/domain/cache-key.ts'
import { tempFolder, truths } from './make.ts'

const ROW = { task: 'fix-git', instruction: 'Fix it.', cue: 'merge the branch', distractor: { text: 'run uv lock' } }
function faultsOf(text: string) {
  const parsed = parseGroundTruths(text, 'truths')
  if (parsed.ok) throw new Error('it is no fault')
  return parsed.error
}
const find = (text: unknown, tasks: string[], trials: string[] = []) => truths(text).find({ tasks, trials })

describe('the same row', () => {
  const truth = normalizeGroundTruth({ instruction: 'Fix it.', cue: 'merge the branch', distractor: 'run uv lock' })
  const csv = 'task,instruction,cue,distractor\nfix-git,Fix it.,merge the branch,run uv lock\n'
  it.each([
    ['NDJSON', `${JSON.stringify(ROW)}\n\n${JSON.stringify({ ...ROW, task: 'other' })}`],
    ['an array', JSON.stringify([ROW])],
    ['one object', JSON.stringify(ROW)],
    ['rows by task', JSON.stringify({ 'fix-git': { ...ROW, task: undefined } })],
    ['CSV', csv],
    ['CSV of another system', `\ufeff${csv.replaceAll('\n', '\r\n')}`],
  ])('is read from %s', (_, text) => {
    const found = find(text, ['fix-git'])
    expect(found).toMatchObject({ by: 'task', name: 'fix-git', dropped: [] })
    expect(normalizeGroundTruth({ instruction: '', ...found?.truth })).toEqual(truth)
    expect(find(text, ['fix-gi'])).toBeNull()
  })
})

it('reads anchors and signals from CSV cells', () => {
  const text = [
    'trial,cue,cue.anchors,cue_action_anchors,distractor,distractor_acted_by,appeared,executed,resolved',
    'a__1,"make ""it""","one',
    'two","[""three"", ""four""]",say hi,message,TRUE,no,',
  ].join('\n')
  expect(find(text, [], ['a__1'])?.truth).toEqual({
    cue: { text: 'make "it"', anchors: ['one', 'two'], action_anchors: ['three', 'four'] },
    distractor: { text: 'say hi', acted_by: 'message' },
    signals: { appeared: true, executed: false },
  })
})

describe('a CSV that cannot be read is told with its line and what to do', () => {
  const HEAD = 'task,instruction,cue\nfirst,"Fix\nit.",make it\n'
  it.each([
    ['too many cells', `${HEAD}a,Fix, please.,make it\n`, 'line 4', 'has 4 cells, the header 3: put a text that holds'],
    ['too few', `${HEAD}a,b,c\na,Fix it.\n`, 'line 5', 'has 2 cells, the header 3: write every cell'],
    ['an open quotation mark', `${HEAD}a,"Fix it.,make it\nb,c,d\n`, 'line 4', 'is opened and never closed: close it'],
    ['one in the header', '"task,instruction,cue\na,b,c\n', 'line 1', 'is opened and never closed'],
    ['one inside of a cell', `${HEAD}a,Say "hi",make it\n`, 'line 4', 'stands inside of a text: put the whole text'],
    ['a text behind the closing one', `${HEAD}a,"Say" hi,make it\n`, 'line 4', 'stands inside of a text'],
  ])('%s', (_, text, path, message) => {
    expect(faultsOf(text)).toEqual([{ path, message: expect.stringContaining(message) }])
  })
})

it('refuses blank texts, as it does empty ones', () => {
  const blank = ['/0/cue', '/0/instruction'].map((path) => ({ path, message: 'is blank; write its text' }))
  const faults = faultsOf(JSON.stringify([{ ...ROW, cue: ' \n', instruction: '\u200b' }]))
  expect(faults).toEqual(expect.arrayContaining(blank))
})

it('tells an empty text once', () => {
  expect(faultsOf(JSON.stringify([{ ...ROW, cue: '' }]))).toEqual([
    { path: '/0/cue', message: 'is blank; write its text' },
  ])
})

it('prefers the row of the trial, then of the fuller task name, then the one for all', () => {
  const rows = [
    { ...ROW, task: 'org/fix-git', cue: 'full' },
    { ...ROW, task: 'fix-git', cue: 'short' },
    { ...ROW, task: undefined, trial: 'fix-git__a', cue: 'trial' },
  ]
  expect(find(rows, ['org/fix-git', 'fix-git'], ['fix-git__a'])?.truth['cue']).toBe('trial')
  expect(find(rows, ['org/fix-git', 'fix-git'], ['fix-git__b'])?.truth['cue']).toBe('full')
  expect(find(rows, ['x/fix-git', 'fix-git'])?.truth['cue']).toBe('short')
  expect(find({ ...ROW, task: undefined }, ['whatever'])).toMatchObject({ by: 'all' })
})

describe('a row that names a task and a trial', () => {
  const of = (task: string | undefined, cue: string) => ({ ...ROW, task, trial: 'run-1', cue })
  const cueOf = (rows: unknown, tasks: string[]) => find(rows, tasks, ['run-1'])?.truth['cue']
  it.each([
    ['is of the trial in that task', [of('A', 'a')], ['A'], 'a'],
    ['is not of a trial of another task', [of('A', 'a')], ['B'], undefined],
    ['gives way to the row of the other task', [of('A', 'a'), { ...ROW, task: 'B', cue: 'b' }], ['B'], 'b'],
    ['comes before one that names no task', [of(undefined, 'free'), of('A', 'a')], ['A'], 'a'],
    ['leaves other tasks to one that names none', [of('A', 'a'), of(undefined, 'free')], ['B'], 'free'],
    ['is of the trial where nobody knows its task', [of('A', 'a')], [], 'a'],
    ['is of neither of two where nobody knows the task', [of('A', 'a'), of('B', 'b')], [], undefined],
    ['may be there for each task', [of('A', 'a'), of('B', 'b')], ['org/B', 'B'], 'b'],
  ])('%s', (_, rows, tasks, cue) => {
    expect(cueOf(rows, tasks)).toBe(cue)
  })

  it('is there once', () => {
    expect(faultsOf(JSON.stringify([of('A', 'a'), of('A', 'b')]))).toEqual([
      { path: '/1', message: 'trial "run-1" of task "A" is at /0 already' },
    ])
  })
})

it('tells what the row of a trial leaves out of what the row of its task has', () => {
  const { distractor, ...rest } = ROW
  expect(distractor).toBeDefined()
  const rows = [ROW, { ...rest, trial: 'fix-git__a' }, { ...ROW, task: undefined, trial: 'fix-git__b' }]
  expect(find(rows, ['fix-git'], ['fix-git__a'])).toMatchObject({ by: 'trial', dropped: ['distractor'] })
  expect(find(rows, ['fix-git'], ['fix-git__b'])).toMatchObject({ by: 'trial', dropped: [] })
})

it('takes no name for a glob, and no prototype for a row', () => {
  expect(find([{ ...ROW, task: 'fix-*' }], ['fix-git'])).toBeNull()
  expect(find([ROW], ['constructor', '__proto__', 'toString'])).toBeNull()
  expect(find('{"__proto__": {"cue": "odd"}}', ['__proto__'])?.truth['cue']).toBe('odd')
})

describe('refuses the file, naming the place', () => {
  const line = JSON.stringify(ROW)
  const NO_NAME = 'no column task or trial says whose a row is'
  it.each([
    ['a duplicate task', `${line}\n\n${line}`, 'line 3', 'task "fix-git" is at line 1 already'],
    ['a line that is no JSON', `${line}\nnope`, 'line 2', 'is not JSON'],
    ['a row that is no object', `${line}\n[1]`, 'line 2', 'must be an object'],
    ['neither cue nor distractor', `${line}\n{"task":"b","instruction":"x"}`, 'line 2', ''],
    ['a row for all beside others', `${line}\n{"instruction":"x","cue":"c"}`, 'line 2', 'neither a task nor a trial'],
    ['a bad member', JSON.stringify([ROW, { ...ROW, task: 'b', cue: { text: 7 } }]), '/1/cue', ''],
    ['an empty file', ' \n', '', 'holds no ground truth'],
    [
      'an unknown column',
      'task,cue,colour\na,b,c',
      'line 1',
      'unknown column "colour"; there are: task, trial, variant',
    ],
    ['no column that names', 'cue,distractor\na,b\nc,d', 'line 1', `${NO_NAME}; it has: cue, distractor`],
    ['a column twice', 'task,cue,cue\na,b,c', 'line 1', 'twice'],
    ['an odd signal', 'task,cue,resolved\na,b,maybe', 'line 2', 'resolved must be true or false'],
    ['an open quote', 'task,cue\na,"b', '', ''],
  ])('%s', (_, text, path, message) => {
    expect(faultsOf(text).some((issue) => issue.path.startsWith(path) && issue.message.includes(message))).toBe(true)
  })

  it('in one line for each mistake, by the order of the lines', () => {
    const rows = [
      '{"task":"b","instruction":"x","cue":"c","extra":1}',
      'no JSON',
      '{"task":"c","instruction":"x"}',
      '{"task":"d","instruction":"x","cue":{"text":"c","anchorz":[]}}',
      '{"task":"d","instruction":"x","cue":7}',
    ]
    expect(faultsOf(rows.join('\n')).map(({ path, message }) => `${path} ${message}`)).toEqual([
      'line 1, /extra is not a known property; there are: instruction, cue, distractor, signals, expected_in',
      'line 2 is not JSON',
      'line 3 has none of cue, distractor; one is required',
      'line 4, /cue/anchorz is not a known property; there are: text, anchors, action_anchors, acted_by',
      expect.stringMatching(/^line 5, \/cue must be either object or string, not number: /),
    ])
  })

  it('and tells a row of several lines by its first', () => {
    const faults = faultsOf('task,cue\na,"one\ntwo"\nb,c\na,d\n')
    expect(faults).toEqual([{ path: 'line 5', message: 'task "a" is at line 2 already' }])
  })
})

it('loads a file, and says what keeps it from it', async () => {
  const folder = await tempFolder()
  await writeFile(join(folder, 't.json'), JSON.stringify([ROW]))
  const loaded = await loadGroundTruths(join(folder, 't.json'))
  expect(loaded.ok && loaded.value.tasks).toEqual(['fix-git'])
  expect(await loadGroundTruths(join(folder, 'none'))).toEqual({
    ok: false,
    error: [{ path: '', message: 'cannot be read: ENOENT' }],
  })
  await writeFile(join(folder, 'latin1.csv'), Buffer.from('task,cue\na,caf\xe9', 'latin1'))
  expect(await loadGroundTruths(join(folder, 'latin1.csv'))).toMatchObject({ ok: false })
})

describe('rows of variants', () => {
  const rows = [
    { task: 'a', cue: 'c', distractor: 'd' },
    { task: 'a', variant: 'cue-removed', distractor: 'd2' },
    { task: 'b', variant: 'tab', cue: 'c3' },
    { task: 'a', trial: 'a__1', variant: 'tab', cue: 'c4' },
  ]
  const text = rows.map((row) => JSON.stringify(row)).join('\n')
  const at = (tasks: string[], trials: string[], variant?: string) => truths(text).find({ tasks, trials, variant })

  it('one of the variant comes before one that names none', () => {
    expect(at(['a'], [], 'cue-removed')).toMatchObject({ truth: { distractor: 'd2' }, variant: 'cue-removed' })
    expect(at(['a'], [], 'tab')).toMatchObject({ truth: { distractor: 'd' }, variant: null })
    expect(at(['a'], [])).toMatchObject({ truth: { distractor: 'd' }, variant: null })
  })

  it('one of another variant is not taken; alone, it is where nobody knows the variant', () => {
    expect(at(['b'], [], 'other')).toBeNull()
    expect(at(['b'], [])).toMatchObject({ truth: { cue: 'c3' }, variant: 'tab' })
    expect(at(['a'], ['a__1'], 'tab')).toMatchObject({ truth: { cue: 'c4' }, by: 'trial' })
    expect(at(['a'], ['a__1'], 'other')).toMatchObject({ truth: { cue: 'c' }, by: 'task' })
  })

  it('a name may come again with another variant, and not with the same', () => {
    expect(faultsOf(`${text}\n${JSON.stringify(rows[1])}`)).toMatchObject([
      { path: 'line 5', message: 'task "a", variant "cue-removed" is at line 2 already' },
    ])
  })

  it('all rows of a task are told together', () => {
    expect(truths(text).rowsOf(['a'])).toHaveLength(3)
  })

  it('CSV has columns for the variant and the expected places', () => {
    const csv = 'task,variant,cue,expected_in\na,tab,c,"environment/*.py\nenvironment/Dockerfile"\nb,,c,"[""x/**""]"'
    expect(truths(csv).find({ tasks: ['a'], trials: [] })).toMatchObject({
      truth: { expected_in: ['environment/*.py', 'environment/Dockerfile'] },
      variant: 'tab',
    })
    expect(truths(csv).find({ tasks: ['b'], trials: [] })?.truth.expected_in).toEqual(['x/**'])
  })
})

describe('domain and subcategory', () => {
  const row = { ...ROW, domain: 'security', subcategory: 'Shell Utilities' }
  const metadata = { domain: 'security', subcategory: 'Shell Utilities' }
  it.each([
    ['NDJSON', JSON.stringify(row)],
    ['CSV', 'task,cue,domain,subcategory\nfix-git,merge,security,Shell Utilities\n'],
  ])('are for the metadata, and no part of the truth: %s', (_, text) => {
    const found = find(text, ['fix-git'])
    expect(found?.metadata).toEqual(metadata)
    expect(found?.truth).not.toHaveProperty('domain')
  })

  it('of a task are those of its trials, too, where their own row says nothing else', () => {
    const rows = JSON.stringify([row, { cue: 'x', trial: 'a__1', domain: 'games' }])
    expect(find(rows, ['fix-git'], ['a__1'])).toMatchObject({ by: 'trial', metadata: { ...metadata, domain: 'games' } })
  })

  it('are texts', () => {
    expect(faultsOf(JSON.stringify({ ...row, domain: 7 }))).toEqual([{ path: '/domain', message: 'must be a text' }])
  })
})
