import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { parseSignalSource, type SignalSource } from '../../src/archives/signals.ts'
import {
  atif,
  CORPUS,
  detailsOf,
  harborResult,
  hasCorpus,
  onlyTrial,
  outline,
  readAll,
  TRUTH,
  tempFolder,
  truths,
  writeFiles,
} from './make.ts'

let job = ''
beforeEach(async () => {
  job = join(await tempFolder(), 'job')
})

const source = (text: string): SignalSource => {
  const parsed = parseSignalSource(text)
  if (!parsed.ok) throw new Error(parsed.error)
  return parsed.value
}

/** A trial as Harbor leaves it. */
const trial = (name: string, files: object = {}, result: object = {}) => {
  const own = { 'result.json': harborResult(`org/${name.split('__')[0]}`, name, result), ...files }
  return Object.fromEntries(Object.entries(own).map(([path, content]) => [`${name}/${path}`, content]))
}
const RUN = { 'agent/trajectory.json': atif() }

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
    // The one file of the job that is neither Harbor's nor a trajectory.
    expect(
      outline(items.filter((item) => item.kind === 'skipped')).every((line) => line.includes('config.harbor.json')),
    ).toBe(true)
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

it('reads the steps of a trial one by one, each with its own reward', async () => {
  const result = {
    step_results: [
      { step_name: 'one', verifier_result: { rewards: { reward: 1 } }, exception_info: null },
      { step_name: 'two', verifier_result: null, exception_info: { exception_type: 'AgentTimeoutError' } },
    ],
  }
  await writeFiles(
    job,
    trial('a__1234567', {
      'steps/one/agent/trajectory.json': atif('first'),
      'steps/two/agent/trajectory.json': atif('second'),
      'steps/two/verifier/reward.json': { reward: 0 },
      'steps/three/verifier/reward.txt': '1.0',
      ...{ 'result.json': harborResult('org/a', 'a__1234567', result) },
    }),
  )
  const items = await readAll(job, { groundTruths: truths([{ ...TRUTH, task: 'a' }]) })
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

describe('finds the run where its agent left it', () => {
  const chat = {
    messages: [
      { role: 'user', content: 'Build it.' },
      { role: 'assistant', content: 'Done.' },
    ],
  }
  const claude = ['user', 'assistant'].map((type, index) =>
    JSON.stringify({
      type,
      uuid: `u${index}`,
      parentUuid: null,
      sessionId: 's',
      timestamp: '2026-11-20T10:00:00Z',
      message: { role: type, content: 'text of a session' },
    }),
  )
  it.each([
    ['a collected artifact', { 'artifacts/trajectory.json': atif() }, 'artifacts/trajectory.json'],
    [
      'an agent with a file of its own',
      { 'agent/openhands.trajectory.json': atif() },
      'agent/openhands.trajectory.json',
    ],
    [
      'a Claude Code session',
      { 'agent/sessions/projects/p/s.jsonl': claude.join('\n') },
      'agent/sessions/projects/p/s.jsonl',
    ],
    ['a chat', { 'agent/litellm.json': chat }, 'agent/litellm.json'],
    [
      'the ATIF file before all',
      { ...RUN, 'agent/a.trajectory.json': atif('x'), 'agent/s.jsonl': claude.join('\n') },
      'agent/trajectory.json',
    ],
  ])('%s', async (_, files, path) => {
    await writeFiles(job, trial('a__1234567', files))
    expect(onlyTrial(await readAll(job)).source).toBe(join(job, 'a__1234567', path))
  })

  it('and falls back from a file that is broken, saying so', async () => {
    await writeFiles(
      job,
      trial('a__1234567', { 'agent/trajectory.json': '{"steps": [', 'agent/sessions/s.jsonl': claude.join('\n') }),
    )
    const { source: from, warnings } = onlyTrial(await readAll(job))
    expect(from).toContain('sessions/s.jsonl')
    expect(warnings[0]).toContain('agent/trajectory.json is not what was read')
  })

  it('and takes the largest of several sessions, naming the others', async () => {
    const files = {
      'agent/sessions/a.jsonl': claude[0],
      'agent/sessions/b.jsonl': claude.join('\n'),
      'agent/sessions/s/subagents/agent-1.jsonl': claude.join('\n\n'),
    }
    await writeFiles(job, trial('a__1234567', files))
    const { source: from, warnings } = onlyTrial(await readAll(job))
    expect(from).toContain('sessions/b.jsonl')
    expect(warnings).toEqual(['not read: agent/sessions/a.jsonl'])
  })
})

describe('ground truth of the trial itself', () => {
  const own = (cue: string) => ({ instruction: 'Build.', cue })
  const cueOf = async (files: object, options = {}) => {
    await writeFiles(job, { ...trial('a__1234567', { ...RUN, ...files }) })
    const item = onlyTrial(await readAll(job, { groundTruths: truths([{ ...own('other'), task: 'b' }]), ...options }))
    return item.request.ground_truth.cue?.text
  }

  it('stands beside the agent’s folder, or around the trial', async () => {
    await writeFiles(job, { 'ground_truth.json': [{ ...own('around'), task: 'org/a' }] })
    expect(await cueOf({})).toBe('around')
    expect(await cueOf({ 'ground_truth.json': own('own') })).toBe('own')
    expect(await cueOf({}, { groundTruths: truths([{ ...own('given'), task: 'a' }]) })).toBe('given')
  })

  it('is never taken from where the agent writes', async () => {
    await writeFiles(
      job,
      trial('a__1234567', {
        ...RUN,
        'agent/ground_truth.json': own('forged'),
        'artifacts/ground_truth.json': own('forged'),
      }),
    )
    const items = await readAll(job, { groundTruths: truths([{ ...own('x'), task: 'b' }]) })
    expect(outline(items)).toEqual(['job/a__1234567: no_ground_truth'])
  })

  it('is told where it is malformed', async () => {
    await writeFiles(job, trial('a__1234567', { ...RUN, 'ground_truth.json': { instruction: 'x', cue: { text: 7 } } }))
    expect(outline(await readAll(job))).toEqual(['job/a__1234567/ground_truth.json: unreadable', 'job/a__1234567'])
  })

  it('gives way to what was measured, unless it is of this trial; both say so', async () => {
    const said = { ...TRUTH, signals: { resolved: false, executed: true } }
    await writeFiles(job, trial('a__1234567', RUN))
    const byTask = onlyTrial(await readAll(job, { groundTruths: truths([{ ...said, task: 'a' }]) }))
    expect(byTask.request.ground_truth.signals).toEqual({ resolved: true, executed: true })
    const byTrial = onlyTrial(await readAll(job, { groundTruths: truths([{ ...said, trial: 'a__1234567' }]) }))
    expect(byTrial.request.ground_truth.signals).toEqual(said.signals)
    for (const { warnings } of [byTask, byTrial]) expect(warnings[0]).toContain('differ in the signal resolved')
    const none = onlyTrial(await readAll(job, { signals: [] }))
    expect(none.request.ground_truth).not.toHaveProperty('signals')
  })
})

it('follows continuations and subagent files into one document, once each', async () => {
  const refs = [
    { trajectory_path: 'trajectory.summarization-1-summary.json' },
    { trajectory_path: '../../secret.json' },
  ]
  const observation = { results: [{ content: 'ok', subagent_trajectory_ref: refs }] }
  const first = atif('one', { continued_trajectory_ref: 'trajectory.cont-1.json' })
  ;(first['steps'] as object[]).push({ step_id: 3, source: 'agent', message: '', observation })
  const second = atif('two', { continued_trajectory_ref: 'trajectory.json' })
  const files = {
    'agent/trajectory.json': first,
    'agent/trajectory.cont-1.json': second,
    'agent/trajectory.summarization-1-summary.json': atif('summary'),
    'secret.json': atif('secret'),
  }
  await writeFiles(job, trial('a__1234567', files))
  const { request, warnings } = onlyTrial(await readAll(job))
  expect(request.trajectory).toEqual({
    segments: [first, second],
    subagents: { 'trajectory.summarization-1-summary.json': atif('summary') },
  })
  expect(warnings).toEqual([
    'the run goes on in trajectory.json, which was read before',
    'a subagent is in ../../secret.json, which is outside of the folder',
  ])
})

it('reads loose runs of several files once, and what continues nothing by itself', async () => {
  await writeFiles(job, {
    'trajectory.json': atif('one', { continued_trajectory_ref: 'trajectory.cont-1.json' }),
    'trajectory.cont-1.json': atif('two'),
    'x.cont-7.json': atif('alone'),
  })
  expect(outline(await readAll(job))).toEqual(['job/trajectory.json', 'job/x.cont-7.json'])
})

describe('Terminal-Bench 1', () => {
  const result = (task: string, attempt: number, resolved: boolean) => ({
    task_id: task,
    trial_name: `${task}.${attempt}-of-2.run`,
    instruction: 'Build it all.',
    is_resolved: resolved,
    failure_mode: resolved ? 'unset' : 'agent_timeout',
    parser_results: { test_build: 'passed', test_distractor_executed: resolved ? 'failed' : 'passed' },
  })
  const TASK = 'run/hello/hello'
  it('is read with its attempts, tests and instruction', async () => {
    await writeFiles(job, {
      'run/run_metadata.json': { agent_name: 'terminus', model_name: 'model-b' },
      'run/results.json': { results: [] },
      'run/ground_truth.json': [{ task: 'hello', cue: 'make it' }],
      [`${TASK}.1-of-2.run/results.json`]: result('hello', 1, true),
      [`${TASK}.1-of-2.run/agent-logs/trajectory.json`]: atif(),
      [`${TASK}.2-of-2.run/results.json`]: result('hello', 2, false),
      [`${TASK}.2-of-2.run/sessions/agent.cast`]: '{"version":2,"width":80}\n[0,"o","x"]',
      [`${TASK}.2-of-2.run/sessions/agent.log`]: 'text',
    })
    const signals = [source('executed=reward:tests.test_distractor_executed')]
    const items = await readAll(join(job, 'run'), { groundTruths: truths([{ ...TRUTH, task: 'other' }]), signals })
    expect(outline(items)).toEqual(['run/hello/hello.1-of-2.run', 'run/hello/hello.2-of-2.run: no_trajectory'])
    expect(items[0]).toMatchObject({
      request: {
        ground_truth: { instruction: 'Build it all.', cue: { text: 'make it' }, signals: { executed: false } },
        metadata: { task: 'hello', run_index: 0, agent: 'terminus', model: 'model-b' },
      },
    })
    expect(detailsOf(items)[0]).toMatch(/sessions\/agent.cast.*agent_timeout/)
  })
})
