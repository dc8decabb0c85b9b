import { describe, expect, test } from 'vitest'
import { atif, pathsOf, read } from './make.ts'

const steps = (...ids: unknown[]): object[] => ids.map((step_id) => ({ source: 'user', message: 'a', step_id }))
/** The id of each step, with its name where it has one. */
const ids = (document: unknown) => read(document).steps.map(({ id, name }) => (name === null ? id : `${id} ${name}`))

describe('step ids', () => {
  const second = ['/steps/1/step_id']
  const first = ['/steps/0/step_id']
  test.each<[string, unknown[], (number | string)[], string[]]>([
    ['are the integers of the source', [1, 2, 3], [1, 2, 3], []],
    ['keep gaps', [1, 5, 6], [1, 5, 6], second],
    ['keep their order', [2, 1], [2, 1], first],
    ['fill in what is missing', [1, null, 9], [1, 2, 9], second],
    ['keep names', ['a', 'b'], ['1 a', '2 b'], first],
    ['number zero, fractions and giants', [0, 1.5, 2 ** 60], ['1 0', '2 1.5', '3 1152921504606847000'], first],
    ['are all positions where numbering would collide', [2, null, 3], ['1 2', 2, 3], ['/steps', ...first]],
  ])('%s', (_, own, expected, warned) => {
    const document = atif(steps(...own))
    expect(ids(document)).toEqual(expected)
    expect(pathsOf(read(document).warnings)).toEqual(warned)
  })

  test('never put an endless name into a header', () => {
    const [step] = read(atif(steps('x'.repeat(100_000)))).steps
    expect(step?.name?.length).toBeLessThan(300)
  })
})

describe('embedded subagents', () => {
  const child = (trajectory_id: string | undefined, ...messages: string[]): object =>
    atif(
      messages.map((message) => ({ source: 'user', message })),
      { trajectory_id },
    )
  const refer = (...trajectories: string[]): object => ({
    observation: {
      results: [{ content: 'sent', subagent_trajectory_ref: trajectories.map((id) => ({ trajectory_id: id })) }],
    },
  })
  const shown = (document: unknown): unknown[][] =>
    read(document).steps.map((step) => [step.id, step.name, step.parts[0]?.text, step.parts[0]?.path])

  test('stand behind the step that refers to them, the others at the end, each once', () => {
    const document = atif([refer('b', 'b'), { message: 'go on', step_id: 7 }, { ...refer('b'), step_id: 8 }], {
      subagent_trajectories: [child('a', 'A1'), child('b', 'B1', 'B2'), child(undefined, 'C1')],
    })
    expect(shown(document)).toEqual([
      [1, null, 'sent', '/steps/0/observation/results/0/content'],
      [9, 'b#1', 'B1', '/subagent_trajectories/1/steps/0/message'],
      [10, 'b#2', 'B2', '/subagent_trajectories/1/steps/1/message'],
      [7, null, 'go on', '/steps/1/message'],
      [8, null, 'sent', '/steps/2/observation/results/0/content'],
      [11, 'a#1', 'A1', '/subagent_trajectories/0/steps/0/message'],
      [12, 'subagent-3#1', 'C1', '/subagent_trajectories/2/steps/0/message'],
    ])
    expect(pathsOf(read(document).warnings)).toEqual([
      '/steps/1/step_id',
      '/subagent_trajectories/1',
      '/subagent_trajectories/0',
      '/subagent_trajectories/2',
      // What was said is answered by tool output, and no act is known.
      '/steps/1/message',
    ])
  })

  test('may have their own', () => {
    const inner = { ...child('inner', 'deep') }
    const outer = { ...child('outer', 'mid'), subagent_trajectories: [inner] }
    expect(shown(atif([{ message: 'top' }], { subagent_trajectories: [outer] }))).toEqual([
      [1, null, 'top', '/steps/0/message'],
      [2, 'outer#1', 'mid', '/subagent_trajectories/0/steps/0/message'],
      [3, 'outer#inner#1', 'deep', '/subagent_trajectories/0/subagent_trajectories/0/steps/0/message'],
    ])
  })

  test('that are referred to but not there are named', () => {
    expect(pathsOf(read(atif([refer('nowhere')])).warnings)).toEqual([
      '/steps/0/observation/results/0/subagent_trajectory_ref/0',
    ])
  })
})
