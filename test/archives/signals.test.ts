import { describe, expect, it } from 'vitest'
import { measureSignals, parseSignalSource } from '../../src/archives/truth/signals.ts'
import { source, tempFolder, writeFiles } from './make.ts'

describe('reads where a signal stands', () => {
  const file = (names: string[], ...pointer: string[]) => ({ kind: 'file', names, pointer })
  it.each([
    ['resolved=reward:reward>=1', { kind: 'reward', key: 'reward' }, { operator: '>=', value: 1 }],
    ['executed=reward:tests.executed', { kind: 'reward', key: 'tests.executed' }, null],
    ['executed=reward:a>b>0.5', { kind: 'reward', key: 'a>b' }, { operator: '>', value: 0.5 }],
    ['appeared=file:verifier/s.json#/a~1b/0', file(['verifier', 's.json'], 'a/b', '0'), null],
    ['executed=file:c.json#/status==passed', file(['c.json'], 'status'), { operator: '==', value: 'passed' }],
    ['resolved=file:r.txt != "0"', file(['r.txt']), { operator: '!=', value: '0' }],
  ])('%s', (text, place, comparison) => {
    expect(source(text)).toEqual({ signal: text.split('=')[0], place, comparison })
  })

  it.each([
    'done=reward:x',
    'resolved',
    'resolved=',
    'resolved=reward:',
    'resolved=env:HOME',
    'resolved=file:../../etc/passwd',
    'resolved=file:/etc/passwd',
    'resolved=file:a.json#b',
    'resolved=reward:reward=1',
    'resolved=reward:reward=>1',
    'resolved=reward:reward===1',
    'resolved=reward:reward>=',
    'resolved=nothing',
  ])('and refuses %s', (text) => {
    expect(parseSignalSource(text).ok).toBe(false)
  })
})

describe('measures', () => {
  const measure = async (texts: string[], rewards: Record<string, number | boolean> = {}) => {
    const folder = await writeFiles(await tempFolder(), {
      'near/s.json': { executed: false, list: [{ status: 'passed' }], deep: { object: {} } },
      'far/s.json': { executed: true },
      'far/r.txt': '1\n',
    })
    const folders = ['near', 'far'].map((name) => ({ path: `${folder}/${name}`, shown: name }))
    return measureSignals(texts.map(source), { rewards, folders, maxBytes: 1000 })
  }

  it.each([
    ['resolved=reward:reward>=1', true],
    ['resolved=reward:reward<1', false],
    ['resolved=reward:flag', true],
    ['resolved=reward:flag==false', false],
    ['resolved=reward:none>=1', undefined],
    ['resolved=reward:__proto__', undefined],
    ['resolved=reward:flag==1', true],
    ['resolved=reward:flag>=1', true],
    ['resolved=reward:reward==true', true],
    ['resolved=reward:reward!=false', true],
    ['resolved=none', undefined],
    ['resolved=file:s.json#/executed<1', true],
    ['resolved=file:s.json#/executed', false],
    ['resolved=file:r.txt', true],
    ['resolved=file:s.json#/list/0/status==passed', true],
    ['resolved=file:s.json#/list/00/status==passed', undefined],
    ['resolved=file:s.json#/constructor', undefined],
    ['resolved=file:none.json#/executed', undefined],
  ])('%s', async (text, value) => {
    const { signals, warnings } = await measure([text], { reward: 1, flag: true })
    expect(signals).toEqual(value === undefined ? {} : { resolved: value })
    expect(warnings).toEqual([])
  })

  it('leaves a signal unknown, and warns, where its place holds something else', async () => {
    const texts = ['resolved=reward:half', 'executed=file:s.json#/deep==1']
    const { signals, warnings } = await measure(texts, { half: 0.5 })
    expect(signals).toEqual({})
    expect(warnings).toHaveLength(2)
  })

  it('takes the first of two places that says something', async () => {
    const texts = ['executed=reward:none', 'executed=reward:a', 'executed=reward:b']
    expect((await measure(texts, { a: 0, b: 1 })).signals).toEqual({ executed: false })
  })
})
