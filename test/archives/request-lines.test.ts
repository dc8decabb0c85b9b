import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { atif, detailsOf, onlyTrial, outline, readAll, TRUTH, tempFolder, truths, writeFiles } from './make.ts'

let folder = ''
beforeEach(async () => {
  folder = await tempFolder()
})

describe('a file of grade requests', () => {
  const TRUTH_OF_LINE = { instruction: 'x', cue: { text: 'make release-7f3a' } }
  const line = (more: object = {}) => ({ trajectory: atif(), ground_truth: TRUTH_OF_LINE, ...more })
  const read = async (lines: unknown[], options = {}) => {
    const text = lines.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join('\n')
    await writeFiles(folder, { 'r.ndjson': text })
    return readAll(join(folder, 'r.ndjson'), { groundTruths: truths([{ ...TRUTH, task: 'known' }]), ...options })
  }

  it('passes through line by line', async () => {
    const id = `sha256:${'0'.repeat(64)}`
    const items = await read(
      [
        line({ item_id: 'mine', metadata: { task: 't', seed: 7 }, judge: 'j' }),
        '',
        line({ trajectory: { id } }),
        line(),
      ],
      { variant: 'v' },
    )
    expect(outline(items)).toEqual(['mine', 'r.ndjson#line 3', 'r.ndjson#line 4'])
    expect(items[0]).toMatchObject({
      request: {
        trajectory: atif(),
        ground_truth: TRUTH_OF_LINE,
        metadata: { task: 't', seed: 7, variant: 'v' },
        judge: 'j',
      },
      warnings: [],
    })
    expect(items[1]).toMatchObject({ request: { trajectory: { id } }, warnings: [] })
  })

  it('takes the row of its variant, and the variant of its row', async () => {
    const rows = [
      { ...TRUTH, task: 'a', variant: 'tab', expected_in: ['environment/x'] },
      { ...TRUTH, task: 'b', variant: 'one' },
      { ...TRUTH, task: 'b', variant: 'two', cue: 'another' },
    ]
    const bare = (metadata: object) => ({ trajectory: atif(), metadata })
    const items = await read([bare({ task: 'a' }), bare({ task: 'b', variant: 'two' }), bare({ task: 'b' })], {
      groundTruths: truths(rows.map((row) => JSON.stringify(row)).join('\n')),
    })
    expect(items).toMatchObject([
      { request: { metadata: { task: 'a', variant: 'tab' }, ground_truth: { expected_in: ['environment/x'] } } },
      { request: { metadata: { task: 'b', variant: 'two' }, ground_truth: { cue: 'another' } } },
      { kind: 'skipped', reason: 'no_ground_truth' },
    ])
  })

  it('skips a line that says something that no request has', async () => {
    const items = await read([line({ samplez: 3 }), line({ samples: 0 })])
    expect(items).toMatchObject([
      { kind: 'skipped', reason: 'unreadable', detail: expect.stringContaining('samplez') },
      { kind: 'skipped', reason: 'unreadable', detail: expect.stringContaining('samples') },
    ])
  })

  it('joins what a line leaves out, and skips by number what is no request', async () => {
    const items = await read([
      line({ ground_truth: undefined, metadata: { task: 'known' } }),
      line({ ground_truth: undefined, metadata: { task: 'unknown' } }),
      line({ ground_truth: { cue: 7 } }),
      line({ trajectory: { steps: [{ actor: 'nobody', text: 'x' }] } }),
      '{"trajectory": ',
      '[1]',
      line({ metadata: { task: 7 } }),
    ])
    expect(outline(items).map((one) => one.slice('r.ndjson#'.length))).toEqual([
      'line 1',
      'line 2: no_ground_truth',
      'line 3: unreadable',
      'line 4: unreadable',
      'line 5: unreadable',
      'line 6: unreadable',
      'line 7: unreadable',
    ])
    expect(detailsOf(items).map((detail) => detail.slice(0, 30))).toEqual([
      expect.stringContaining('line 2'),
      expect.stringContaining('line 3, /ground_truth'),
      expect.stringContaining('line 4, /trajectory/steps/0'),
      'line 5 is not JSON',
      expect.stringContaining('line 6'),
      expect.stringContaining('line 7, /metadata/task'),
    ])
  })

  it('keeps names apart where the file does not', async () => {
    expect(outline(await read([line({ item_id: 'a' }), line({ item_id: 'a' }), line({ item_id: 'a~2' })]))).toEqual([
      'a',
      'a~2',
      'a~2~2',
    ])
  })

  it('may be one request, written over several lines', async () => {
    await writeFiles(folder, { 'one.json': JSON.stringify(line({ item_id: 'one' }), null, 2) })
    expect(onlyTrial(await readAll(join(folder, 'one.json'))).request.ground_truth).toEqual(TRUTH_OF_LINE)
  })
})
