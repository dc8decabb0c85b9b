import { describe, expect, test } from 'vitest'
import { oddIn, partsOf, pathsOf, read } from './make.ts'

const step = (more: object = {}): object => ({
  thought: 'Hm.',
  action: 'ls',
  observation: 'README',
  response: 'Hm.\n```\nls\n```',
  state: '{}',
  ...more,
})
const prompt = [
  { role: 'system', content: 'Be an engineer.' },
  { role: 'user', content: 'Fix it.' },
]
const answer = { role: 'assistant', content: 'Hm.\n```\nls\n```', thought: 'Hm.', action: 'ls' }
const run = (trajectory: unknown, history: unknown = [...prompt, answer]): object => ({
  environment: 'swe_main',
  trajectory,
  history,
  info: {},
})

describe('a run', () => {
  test('thinks, acts and is answered', () => {
    const trajectory = read(run([step()]))
    expect(partsOf(trajectory, 2)).toEqual([
      ['agent_reasoning', 'thought', '/trajectory/0/thought', 'Hm.'],
      ['agent_action', 'action', '/trajectory/0/action', 'ls'],
      ['tool_output', 'observation', '/trajectory/0/observation', 'README'],
    ])
    expect(trajectory.warnings).toEqual([])
  })

  test.each([
    ['another text', 'I changed my mind.', true],
    ['more than thought and action', 'Hm.\n```\nls\n```\nThen I shall stop.', true],
    ['the thought alone', 'Hm.', false],
  ])('shows a response that is %s: %3$s', (_, response, shown) => {
    const parts = partsOf(read(run([step({ response })])), 2)
    expect(parts.filter(([actor]) => actor === 'agent_message').map(([, , , text]) => text)).toEqual(
      shown ? [response] : [],
    )
  })

  test('did nothing of what its demonstrations show', () => {
    const demo = [
      { role: 'user', content: 'Example', is_demo: true },
      { role: 'assistant', content: 'rm -rf /', action: 'rm -rf /', is_demo: true },
    ]
    const trajectory = read(run([step()], [prompt[0], ...demo, prompt[1], answer]))
    const actors = trajectory.steps.map(({ parts }) => parts[0]?.actor)
    expect(actors.join(' ')).toBe('system system system user agent_reasoning')
    expect(partsOf(trajectory, 2)).toEqual([['system', 'demonstration', '/history/2/content', 'rm -rf /']])
  })

  test('shows what the harness said and no observation repeats', () => {
    const history = [
      ...prompt,
      answer,
      { role: 'user', content: 'README\n(Open file: n/a)\nbash-$' },
      { role: 'user', content: 'Hurry up.' },
      answer,
      { role: 'user', content: 'README' },
    ]
    const trajectory = read(run([step(), step()], history))
    const last = trajectory.steps.map(({ parts }) => parts.at(-1)?.text)
    expect(last).toEqual(['Be an engineer.', 'Fix it.', 'README', 'Hurry up.', 'README'])
    expect(partsOf(trajectory, 3)[0]?.slice(0, 3)).toEqual(['user', 'message', '/history/4/content'])
  })

  test('says where its two accounts differ in length', () => {
    expect(pathsOf(read(run([step(), step()])).warnings)).toEqual(['/history'])
  })

  test('without a history is read, with a warning', () => {
    expect(pathsOf(read({ trajectory: [step()], environment: 'x' }).warnings)).toEqual(['/history'])
  })

  test.each<[string, object, string]>([
    ['an action of a number', run([step({ action: 7 })]), '/trajectory/0/action'],
    ['a step that is text', run([step(), 'ls']), '/trajectory/1'],
    ['a history that is text', run([step()], 'no'), '/history'],
    ['a message that is null', run([step()], [null]), '/history/0'],
  ])('is read but for %s', (_, document, path) => {
    expect(oddIn(document)).toEqual([path])
  })

  test('keeps a member of the name __proto__ as data', () => {
    const source: unknown = JSON.parse(
      '{"trajectory":[{"action":"ls","thought":"t","__proto__":{"action":"rm"}}],"info":{},"history":[]}',
    )
    const trajectory = read(source)
    expect(partsOf(trajectory, 0).map(([, , , text]) => text)).toEqual(['t', 'ls'])
  })
})
