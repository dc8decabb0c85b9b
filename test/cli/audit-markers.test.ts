import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import type { MarkerRow } from '../../src/cli/commands/audit-markers-command.ts'
import { tempFolder } from '../temp-folder.ts'
import { type MadeTask, makeTask, makeTasks, PNG, put, putTasks, surfaceOf, trialFiles } from './marker-tasks.ts'
import { testShell, type, typed } from './test-shell.ts'

let root: string
beforeEach(() => {
  root = tempFolder()
})

const command = (...words: string[]) => typed({}, 'audit-markers', ...words)

async function audit(...words: string[]) {
  const { code, out } = await command(...words, '-g', join(root, 'truths.ndjson'), '-o', 'ndjson')
  const lines = out.split('\n').filter((line) => line !== '')
  const rows = lines.map((line) => JSON.parse(line) as MarkerRow)
  return { rows, findings: rows.filter(({ code }) => code !== 'ok'), code }
}

const tasks = () => join(root, 'tasks')
const auditTasks = async (made: readonly MadeTask[], ...args: string[]) => {
  putTasks(root, made)
  return await audit(tasks(), ...args)
}

const add = (task: MadeTask, path: string, text: string) => {
  task.files[path] = `${String(task.files[path] ?? '')}\n${text}\n`
}
const remove = (task: MadeTask, text: string) => {
  task.files[surfaceOf(task)] = String(task.files[surfaceOf(task)]).replaceAll(text, 'nothing')
}

/** Moves a marker to a file of its own, which is expected to hold it. */
function move(task: MadeTask, marker: string, path: string, content: string | Buffer): void {
  remove(task, marker)
  task.files[path] = content
  task.truth.expected_in.push(path)
}

describe('task folders', () => {
  test.each([
    ['terminal-bench', ['in_baseline', 'in_baseline']],
    ['cue-removed', ['in_ablation', 'ok']],
    ['distractor-removed', ['ok', 'in_ablation']],
    ['tab-defended', ['ok', 'ok']],
  ])('of variant %s: %j', async (variant, codes) => {
    const { rows } = await auditTasks([makeTask(0)], '--variant', variant)
    expect(rows.map(({ code }) => code)).toEqual(codes)
    expect(rows.every((row) => row.variant === variant)).toBe(true)
  })

  test('what is removed is ok where it is not there', async () => {
    const task = makeTask(0)
    const path = surfaceOf(task)
    task.files[path] = String(task.files[path]).replaceAll(task.truth.cue, '').replaceAll(task.truth.distractor, '')
    task.files['instruction.md'] = `Solve it. ${task.truth.cue}`
    const plain = await auditTasks([task], '--variant', 'terminal-bench')
    expect(plain.findings).toEqual([])
    // The full instruction is Terminal-Bench's; in an ablation it is a leak.
    const ablation = await audit(tasks(), '--variant', 'cue-removed')
    expect(ablation.findings.map(({ marker, code }) => [marker, code])).toEqual([
      ['cue', 'leaked_prompt'],
      ['distractor', 'missing'],
    ])
  })

  test('a row that leaves the cue out, of a task that has one, is of an ablation', async () => {
    const task = makeTask(2)
    const { cue: _, ...without } = task.truth
    putTasks(root, [task], [{ ...without, variant: 'bare' }])
    expect((await audit(tasks())).findings).toEqual([])
    const { rows } = await audit(tasks(), '--variant', 'bare')
    expect(rows.map(({ marker, code }) => [marker, code])).toEqual([
      ['cue', 'in_ablation'],
      ['distractor', 'ok'],
    ])
  })
})

const PLANTED: readonly (readonly [at: number, finding: string, plant: (task: MadeTask) => void])[] = [
  [3, 'distractor missing', (task) => remove(task, task.truth.distractor)],
  [10, 'cue leaked_prompt', (task) => add(task, 'instruction.md', task.truth.cue)],
  [11, 'cue leaked_prompt', (task) => add(task, 'task.yaml', `  ${task.truth.cue}`)],
  [20, 'distractor leaked_tests', (task) => add(task, 'tests/test.sh', `MARKER="${task.truth.distractor}"`)],
  [21, 'cue leaked_tests', (task) => add(task, 'tests/test_outputs.py', task.truth.cue)],
  [32, 'distractor leaked_solution', (task) => add(task, 'solution/solve.sh', task.truth.distractor)],
  [33, 'cue leaked_solution', (task) => add(task, 'solution.sh', `# ${task.truth.cue}`)],
  [43, 'distractor not_colocated', (task) => move(task, task.truth.distractor, 'elsewhere.txt', task.truth.distractor)],
  [
    50,
    'cue in_baseline',
    (task) => {
      remove(task, task.truth.distractor)
      Object.assign(task.truth, { variant: 'terminal-bench' })
    },
  ],
  [61, 'cue in_ablation', (task) => Object.assign(task.truth, { variant: 'cue-removed' })],
  [70, 'distractor ambiguous_anchor', (task) => add(task, 'environment/copy.md', task.truth.distractor)],
  [71, 'cue ambiguous_anchor', (task) => add(task, 'README.md', task.truth.cue)],
  [80, 'cue unsearchable_media', (task) => move(task, task.truth.cue, 'environment/frame.png', PNG)],
]

test('every code, planted among 89 tasks of both forms, gives one finding each; all others stay ok', async () => {
  const made = makeTasks(89)
  for (const [at, , plant] of PLANTED) plant(made[at] as MadeTask)
  put(join(root, 'job'), trialFiles('task-05', 1, [['ls', 'x']], { appeared: true }))
  putTasks(root, made)
  const { rows, findings, code } = await audit(tasks(), join(root, 'job'), '--signals', 'appeared=reward:appeared')
  expect(rows).toHaveLength(2 * 89 + 2)
  expect(findings.map(({ kind, task, marker, code }) => [kind, task, marker, code].join(' ')).sort()).toEqual([
    'run task-05 distractor signal_mismatch',
    ...PLANTED.map(([at, finding]) => `task task-${String(at).padStart(2, '0')} ${finding}`),
  ])
  expect(findings.filter(({ detail }) => detail === '')).toEqual([])
  expect(code).toBe(2)
})

describe('runs', () => {
  const task = makeTask(0)
  const { cue, distractor } = task.truth
  const surface = `def main():\n    # ${cue}\n# ${distractor}\n`
  const clean = [
    ['ls', 'src'],
    ['cat src/main.py', surface],
  ] as const
  const auditRuns = async (files: Record<string, string>, ...args: string[]) => {
    putTasks(root, [task])
    put(join(root, 'job'), files)
    return await audit(join(root, 'job'), ...args)
  }
  const codesOf = ({ rows }: { readonly rows: readonly MarkerRow[] }) =>
    rows.map(({ marker, code }) => `${marker} ${code}`)

  test('markers in runs of variants that do not have them', async () => {
    const files = trialFiles(task.name, 1, clean)
    expect(codesOf(await auditRuns(files, '--variant', 'terminal-bench'))).toEqual([
      'cue in_baseline',
      'distractor in_baseline',
    ])
    expect(codesOf(await auditRuns(files, '--variant', 'cue-removed'))).toEqual(['cue in_ablation', 'distractor ok'])
    const plain = trialFiles(task.name, 2, [['ls', 'src']], { user: `Solve it. ${cue}` })
    rmSync(join(root, 'job'), { recursive: true })
    expect((await auditRuns(plain, '--variant', 'terminal-bench')).findings).toEqual([])
  })
})

test('in runs a surface that is a picture is never ok', async () => {
  const made = makeTask(2)
  const { cue, distractor } = made.truth
  putTasks(root, [{ ...made, truth: { ...made.truth, expected_in: ['environment/video.mp4'] } }])
  put(join(root, 'job'), trialFiles(made.name, 1, [['ffmpeg -i video.mp4', `${cue}\n${distractor}`]]))
  const { rows } = await audit(join(root, 'job'))
  expect(rows.map(({ code }) => code)).toEqual(['unsearchable_media', 'unsearchable_media'])
})

describe('what is typed and printed', () => {
  const truths = () => ['-g', join(root, 'truths.ndjson')]

  test('a table has the findings and the counts', async () => {
    const task = makeTask(0)
    task.files['instruction.md'] = task.truth.cue
    putTasks(root, [task])
    const { code, out } = await command(tasks(), ...truths())
    expect([code, out.includes(' ok\n')]).toEqual([2, false])
    expect(out.split('\n')[1]).toMatch(
      /^task {3}.*task-00 .* cue +leaked_prompt +stands in the instruction of the task: instruction\.md:1$/,
    )
    expect(out).toContain('tasks 1 · 2 rows · ok 1 · leaked_prompt 1\n')
  })

  test('a name of a file does not act on a terminal', async () => {
    const task = makeTask(0)
    task.files['environment/=cmd\u001b[31m.md'] = task.truth.cue
    putTasks(root, [task])
    const { out } = await command(tasks(), ...truths())
    expect([out.includes('ambiguous_anchor'), out.includes('\u001b')]).toEqual([true, false])
  })

  test('nothing to audit, no path, a wrong path, a wrong variant: nothing is printed but what to do', async () => {
    putTasks(root, [makeTask(0)])
    put(root, { 'empty/x.md': '', 'other.ndjson': '{"task":"other","cue":"c","distractor":"d"}\n' })
    const cases: [string[], string][] = [
      [[join(root, 'empty'), ...truths()], 'nothing to audit: there is no task and no run'],
      [[tasks(), '-g', join(root, 'other.ndjson')], 'nothing to audit: 1 skipped'],
      [[join(root, 'gone')], 'there is no such file or folder'],
      [[tasks(), '-g', join(root, 'gone.csv')], 'no such file'],
    ]
    for (const [words, told] of cases)
      expect(await command(...words)).toEqual({ code: 1, out: '', err: expect.stringContaining(told) })
  })

  test('a task without a row is skipped by name, and counts with --strict', async () => {
    putTasks(root, [makeTask(0)])
    put(root, { 'tasks/unknown/task.toml': '', 'tasks/unknown/instruction.md': 'x' })
    const { code, err } = await command(tasks(), ...truths())
    expect([code, err]).toEqual([0, expect.stringContaining('no_ground_truth: nothing is known of task unknown')])
    expect((await command(tasks(), ...truths(), '--strict')).code).toBe(3)
  })

  test('names of the truths that nothing is of are told once', async () => {
    const elsewhere = { task: 'elsewhere', cue: 'something else entirely', distractor: 'and another thing here' }
    putTasks(root, [makeTask(0)], [elsewhere])
    expect((await command(tasks(), ...truths())).err).toMatch(/1 name of .* matched no trial: elsewhere/)
  })

  test('a ground truth in the folder of the task or beside its files is as good, and no place of the marker', async () => {
    const { name, files, truth } = makeTask(0)
    const { task: _, ...row } = truth
    put(join(root, 'tasks', 'x'), { ...files, 'ground_truth.json': JSON.stringify(row) })
    expect(await command(tasks())).toMatchObject({ code: 0, out: expect.stringContaining('ok 2') })
    put(join(root, name), { ...files, 'truths.json': JSON.stringify(truth) })
    const beside = await command(join(root, name), '-g', join(root, name, 'truths.json'))
    expect(beside.out).toContain('ok 2')
  })

  test('runs and tasks of one command, in an archive', async () => {
    const task = makeTask(0)
    putTasks(root, [task])
    put(join(root, 'tasks', 'job'), trialFiles(task.name, 1, [['cat src/main.py', task.truth.cue]]))
    execFileSync('tar', ['-czf', join(root, 'all.tgz'), '-C', root, 'tasks'])
    const { rows, findings } = await audit(join(root, 'all.tgz'))
    expect([findings, rows.map(({ kind }) => kind)]).toEqual([[], ['run', 'run', 'task', 'task']])
  })

  test('an interruption ends it', async () => {
    putTasks(root, makeTasks(89))
    const shell = testShell()
    const run = type(shell, 'audit-markers', tasks(), ...truths())
    await expect.poll(() => shell.signals.listenerCount('SIGINT')).toBe(1)
    shell.signals.emit('SIGINT')
    await run
    expect(shell.code()).toBe(130)
  })
})
