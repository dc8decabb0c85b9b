import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { atif, detailsOf, outline, readAll, source, TRUTH, tempFolder, truths, writeFiles } from './make.ts'

let job = ''
beforeEach(async () => {
  job = join(await tempFolder(), 'job')
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
        ground_truth: { instruction: 'Build it all.', cue: 'make it', signals: { executed: false } },
        metadata: { task: 'hello', run_index: 0, agent: 'terminus', model: 'model-b' },
      },
    })
    expect(detailsOf(items)[0]).toMatch(/sessions\/agent.cast.*agent_timeout/)
  })
})
