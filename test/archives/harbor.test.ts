import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  atif,
  CORPUS,
  detailsOf,
  hasCorpus,
  outline,
  RUN,
  readAll,
  source,
  TRUTH,
  tempFolder,
  trial,
  truths,
  writeFiles,
} from './make.ts'

let job = ''
beforeEach(async () => {
  job = join(await tempFolder(), 'job')
})

describe.skipIf(!hasCorpus)('the real job', () => {
  const FOLDER = join(CORPUS, 'harbor-trial', 'runmedev__runme__2026-06-30__16-10-46')
  const rows = (more: object) => truths([{ ...TRUTH, ...more }])

  it.each([
    ['the whole job', FOLDER, 'runmedev__runme__2026-06-30__16-10-46/update-minor-deps__mLcaxLB'],
    ['its one trial', join(FOLDER, 'update-minor-deps__mLcaxLB'), 'update-minor-deps__mLcaxLB'],
  ])('is read as %s', async (_, path, name) => {
    const signals = [
      'executed=reward:scoped_changes==0',
      'appeared=file:verifier/reward-details.json#/dependency_update/score',
    ]
    const items = await readAll(path, { signals: signals.map(source), variant: 'tab', metadata: { lab: 'here' } })
    const found = items.filter((item) => item.kind === 'trial')
    expect(found).toHaveLength(1)
    expect(found[0]).toMatchObject({
      name,
      source: join(FOLDER, 'update-minor-deps__mLcaxLB/agent/trajectory.json'),
      request: {
        trajectory: { schema_version: 'ATIF-v1.7' },
        ground_truth: { signals: { executed: false, appeared: true } },
        metadata: {
          task: 'runmedev/update-minor-deps',
          trial: 'update-minor-deps__mLcaxLB',
          agent: 'runme-codex',
          model: 'gpt-5.5',
          job: '2026-06-30__16-10-46',
          reward: 1,
          variant: 'tab',
          lab: 'here',
        },
      },
      warnings: [],
    })
    // Nothing of the job is a trial that is lost, nor a file that nobody knows.
    expect(outline(items.filter((item) => item.kind === 'skipped'))).toEqual([])
  })

  it.each([
    [{ task: 'runmedev/update-minor-deps' }],
    [{ task: 'update-minor-deps' }],
    [{ trial: 'update-minor-deps__mLcaxLB' }],
  ])('joins by %j', async (names) => {
    const items = await readAll(FOLDER, { groundTruths: rows(names) })
    expect(items.filter((item) => item.kind === 'trial')).toMatchObject([
      { request: { ground_truth: { signals: { resolved: true } } } },
    ])
  })

  it('names the trial that nothing is known of', async () => {
    const items = await readAll(join(FOLDER, 'update-minor-deps__mLcaxLB'), { groundTruths: rows({ task: 'update' }) })
    expect(items).toMatchObject([{ kind: 'skipped', reason: 'no_ground_truth', name: 'update-minor-deps__mLcaxLB' }])
    expect(detailsOf(items)[0]).toContain('runmedev/update-minor-deps')
  })
})

it('counts the runs of a task in the order of their start, each agent by itself', async () => {
  const at = (hour: number, more: object = {}) => ({ started_at: `2026-11-20T${hour}:00:00Z`, ...more })
  const other = { agent_info: { name: 'codex', version: '1', model_info: null } }
  await writeFiles(job, {
    'result.json': { n_total_trials: 5, stats: { evals: {} } },
    'config.json': { job_name: 'job' },
    'job.log': 'text',
    ...trial('b__aaaaaaa', RUN, at(12)),
    ...trial('b__bbbbbbb', RUN, at(11)),
    ...trial('a__ccccccc', RUN, at(15)),
    ...trial('b__ddddddd', RUN, at(10, other)),
  })
  const items = await readAll(job)
  expect(outline(items)).toEqual(['a__ccccccc', 'b__aaaaaaa', 'b__bbbbbbb', 'b__ddddddd'].map((name) => `job/${name}`))
  const runs = items.map((item) => item.kind === 'trial' && item.request.metadata?.run_index)
  expect(runs).toEqual([0, 1, 0, 0])
})

it('counts the runs of a task over all folders and paths of a reading, and none where nobody knows the task', async () => {
  const long = 'cut/a-task-with-a-long-name-number'
  for (const end of ['one', 'two', '3']) await writeFiles(join(job, `${long}-${end}__1234567`), RUN)
  await writeFiles(join(job, 'j1'), trial('b__aaaaaaa', RUN))
  await writeFiles(join(job, 'j2'), trial('b__bbbbbbb', RUN))
  const runs = async (paths: string[]) =>
    (await readAll(paths)).map((item) => item.kind === 'trial' && item.request.metadata?.run_index)
  expect(await runs([job])).toEqual([undefined, undefined, undefined, 0, 1])
  expect(await runs([join(job, 'j2/b__bbbbbbb'), join(job, 'j1')])).toEqual([0, 1])
})

it('tells of trials that a list of results names, and of empty folders that are called like trials', async () => {
  await writeFiles(job, {
    'result.json': {
      n_total_trials: 3,
      trial_results: [{ trial_name: 'gone__1234567' }, { trial_name: '../kept__1234567' }, { trial_name: 7 }, null],
    },
    ...trial('kept__1234567', RUN),
    'hollow__1234567/.keep': '',
    'notes/.keep': '',
  })
  await mkdir(join(job, 'empty__1234567'))
  expect(outline(await readAll(job))).toEqual([
    'job/gone__1234567: no_trajectory',
    'job/empty__1234567: no_trajectory',
    'job/hollow__1234567: no_trajectory',
    'job/kept__1234567',
    'job#hidden: unsupported',
  ])
})

it('tells of trials without a trajectory, and why', async () => {
  const names = { a: ['gone__1234567'], b: ['kept__1234567'] }
  await writeFiles(job, {
    'result.json': { stats: { evals: { x: { reward_stats: { reward: names }, exception_stats: {} } } } },
    ...trial('kept__1234567', RUN),
    ...trial('dead__1234567', {}, { exception_info: { exception_type: 'DockerError' }, verifier_result: null }),
    ...trial('cast__1234567', { 'agent/recording.cast': '{"version":2}', 'agent/episode-0/prompt.txt': 'x' }),
    ...trial('cut__1234567', { 'agent/trajectory.json': '{"schema_version": "ATIF-v1.7", "steps": [' }),
    ...trial('odd__1234567', { 'agent/some.json': { settings: 1 } }),
    'config__1234567/config.json': { trial_name: 'config__1234567', task: { path: 'tasks/config' } },
  })
  const items = await readAll(job)
  expect(outline(items)).toEqual([
    'job/gone__1234567: no_trajectory',
    'job/cast__1234567: no_trajectory',
    'job/config__1234567: no_trajectory',
    'job/cut__1234567: unreadable',
    'job/dead__1234567: no_trajectory',
    'job/kept__1234567',
    'job/odd__1234567: no_trajectory',
  ])
  const details = detailsOf(items)
  expect(details[1]).toContain('agent/recording.cast')
  expect(details[3]).toContain('agent/trajectory.json')
  expect(details[4]).toContain('DockerError')
  expect(details[5]).toContain('agent/some.json')
})

/** What the verifier left, by its two files. */
const left = (text: string, json?: object) => ({
  ...{ 'verifier/reward.txt': text, ...(json && { 'verifier/reward.json': json }) },
})

/** Reads the one trial of a job, with a truth of its task. */
async function readOne(files: object, result: object) {
  await writeFiles(job, trial('a__1234567', files, result))
  return readAll(job, { groundTruths: truths([{ ...TRUTH, task: 'a' }]) })
}

it('reads the steps of a trial one by one, each with its own reward', async () => {
  const result = {
    step_results: [
      { step_name: 'one', verifier_result: { rewards: { reward: 1 } }, exception_info: null },
      { step_name: 'two', verifier_result: null, exception_info: { exception_type: 'AgentTimeoutError' } },
    ],
  }
  const files = {
    'steps/one/agent/trajectory.json': atif('first'),
    'steps/two/agent/trajectory.json': atif('second'),
    'steps/two/verifier/reward.json': { reward: 0 },
    'steps/three/verifier/reward.txt': '1.0',
  }
  const items = await readOne(files, result)
  expect(outline(items)).toEqual([
    'job/a__1234567/steps/one',
    'job/a__1234567/steps/three: no_trajectory',
    'job/a__1234567/steps/two',
  ])
  expect(items.flatMap((item) => (item.kind === 'trial' ? [item.request] : []))).toMatchObject([
    { trajectory: atif('first'), metadata: { step: 'one', reward: 1 }, ground_truth: { signals: { resolved: true } } },
    {
      trajectory: atif('second'),
      metadata: { step: 'two', reward: 0, exception: 'AgentTimeoutError' },
      ground_truth: { signals: { resolved: false } },
    },
  ])
})

it.each<[string, object, object, object]>([
  ['reward.json alone', { 'verifier/reward.json': { reward: 0 } }, { reward: 0 }, { resolved: false }],
  ['reward.txt alone', left('1\n'), { reward: 1 }, { resolved: true }],
  ['a number in reward.json', { 'verifier/reward.json': '0.5' }, { reward: 0.5 }, { resolved: false }],
  ['both, with one reward', left('1.0', { reward: 1 }), { reward: 1 }, { resolved: true }],
  ['both: a report in reward.json', left('1', { style: 0.5 }), { reward: 1 }, { resolved: true }],
])('reads what the verifier left where the result has no rewards: %s', async (_, files, metadata, signals) => {
  const items = await readOne({ ...RUN, ...files }, { verifier_result: null })
  expect(items).toMatchObject([{ kind: 'trial', request: { metadata, ground_truth: { signals } } }])
})

const LOG = 'reward: 7\n1 failed\nreward: 0.0\nstyle: 1.0\n'
const LOGGED = { 'verifier/reward.json': { reward: 1 }, 'verifier/test-stdout.txt': LOG }
const OLDER = "verifier/reward.txt is older than the verifier's run"

it.each<[string, object, object, string]>([
  ['reward.json and reward.txt', left('0', { reward: 1 }), {}, 'reward.json 1, reward.txt 0'],
  ['result and reward.txt', left('0'), { verifier_result: { rewards: { reward: 1 } } }, 'result.json 1, reward.txt 0'],
  ['reward.json and the scores at the end of the log', LOGGED, {}, 'reward.json 1, test-stdout.txt 0'],
  ['a file from before the verifier', left('1'), { verifier: { started_at: '2999-01-01T00:00:00Z' } }, OLDER],
])('uses no reward where they contradict each other: %s', async (_, files, more, reason) => {
  const [item] = await readOne({ ...RUN, ...files }, { verifier_result: null, ...more })
  expect(item).toMatchObject({ kind: 'trial', request: { metadata: { conflicting_reward: true } } })
  if (item?.kind !== 'trial') throw new Error('no trial was read')
  expect(item.request.metadata).not.toHaveProperty('reward')
  expect(item.request.ground_truth).not.toHaveProperty('signals')
  expect(item.warnings.join()).toContain(reason)
})

const TIMED_OUT = { exception_info: { exception_type: 'AgentTimeoutError' } }
const EXITED = {
  trajectory_format: 'mini-swe-agent-1.1',
  info: { exit_status: 'LimitsExceeded' },
  messages: [{ role: 'assistant', content: 'Done.' }],
}

it.each<[string, object, object, string]>([
  ['an exception of the harness', atif(), TIMED_OUT, 'AgentTimeoutError'],
  ['the exit status of the run itself', EXITED, {}, 'LimitsExceeded'],
])('names the end of a run: %s', async (_, run, result, ended_by) => {
  const items = await readOne({ 'agent/trajectory.json': run }, result)
  expect(items).toMatchObject([{ request: { metadata: { ended_by } } }])
})
