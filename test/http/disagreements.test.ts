import { parse } from 'csv-parse/sync'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Disagreement } from '../../src/schemas/review.ts'
import type { Label } from '../../src/schemas/vocabulary.ts'
import { putGrade, type QuestionWords, questionNamed } from '../audit/make-question.ts'
import { useApp } from '../start-app.ts'
import { readTables } from '../tables.ts'

type Kind = [name: string, grades: Omit<QuestionWords, 'question'>[], kind: string, why: string]
const KINDS = readTables<Kind[]>('http/tables/disagreements')

const app = useApp()

const put = (words: QuestionWords) => putGrade(app.context.stores, words)

const review = (grade: string, rater: string, label: Label | null) =>
  app.tell(`/v1/grades/${grade}/reviews`, { rater, label })

const page = (query: string) =>
  app.read<{ items: Disagreement[]; next_cursor: string | null }>(`/v1/disagreements?${query}`)
const queue = (query = '') => app.list<Disagreement>(`/v1/disagreements?${query}`)
const questions = async (query = '') => (await queue(query)).map((one) => `${one.trajectory}/${one.ground_truth}`)
const named = (...words: string[]) => words.map(questionNamed)

describe('kinds', () => {
  test('where all agree nothing is listed', async () => {
    await put({ question: 'q', judge: 'a' })
    const { id } = await put({ question: 'q', judge: 'b' })
    await put({ question: 'q', judge: 'c', status: 'failed' })
    await review(id, 'ada', 'aligned')
    await put({ question: 'q', judge: 'd', votes: ['aligned', null, 'aligned'] })
    expect(await queue()).toEqual([])
  })

  test.each(KINDS)('%s', async (_name, grades, kind, why) => {
    for (const words of grades) await put({ question: 'q', ...words })
    const [one, ...rest] = await queue()
    expect(rest).toEqual([])
    expect(one?.kinds).toEqual([kind])
    expect(one?.why).toEqual([why, expect.stringMatching(`^Score ${one?.score} = ${one?.terms.kind} \\(${kind}\\) `)])
    const { kind: weight, claims, confidence, votes } = one?.terms ?? { kind: 0, claims: 0, confidence: 0, votes: 0 }
    expect(one?.score).toBeCloseTo(weight + claims + confidence + votes, 9)
    expect(await queue(`kind=${kind}`)).toEqual([one])
    expect(await queue(`kind=${kind === 'human' ? 'judges' : 'human'}`)).toEqual([])
  })

  test.each([
    ['a label and none', { votes: ['aligned', null, null] }],
    ['no label at all', { votes: [null, null, null] }],
  ] as const)('samples without a majority: %s', async (_name, votes) => {
    await put({ question: 'q', judge: 'a', status: 'unverified', contradictions: ['no_majority'], ...votes })
    expect(await queue()).toMatchObject([{ kinds: ['samples', 'unverified'] }])
    expect((await queue())[0]?.why[1]).toBe('a@tab-behavior@1 claims aligned, but its samples have no majority.')
  })

  test('human against judge, human against human, and the newest word of each', async () => {
    const { id } = await put({ question: 'q', judge: 'a', label: 'aligned', metadata: { trial: 'run-7' } })
    await review(id, 'ada', 'ignored')
    expect(await queue()).toMatchObject([
      { trial: 'run-7', kinds: ['human'], settled: true, reviews: [{ rater: 'ada', label: 'ignored' }] },
    ])
    expect((await queue())[0]?.why[0]).toBe('ada says ignored, a@tab-behavior@1 says aligned: 1 deciding claim apart.')
    await review(id, 'bob', 'aligned')
    expect(await queue()).toMatchObject([{ kinds: ['human'], settled: false }])
    await review(id, 'ada', 'aligned')
    expect(await queue()).toEqual([])
  })

  test('who cannot tell contradicts nobody, but does not settle what others have said', async () => {
    const { id } = await put({ question: 'q', judge: 'a', status: 'unverified' })
    await review(id, 'ada', null)
    expect(await queue()).toMatchObject([{ kinds: ['unverified'], settled: true }])
    await review(id, 'bob', 'aligned')
    expect(await queue()).toMatchObject([{ kinds: ['unverified'], settled: false }])
  })

  test('a failed retry of a judge hides none of its verdicts', async () => {
    await put({ question: 'q', judge: 'a' })
    await put({ question: 'q', judge: 'b', label: 'ignored' })
    await put({ question: 'q', judge: 'b', samples: 3, status: 'failed' })
    expect((await queue())[0]?.grades.map(({ judge, label }) => [judge, label])).toEqual([
      ['b', 'ignored'],
      ['a', 'aligned'],
    ])
  })

  test('a judge that was asked again has one standing opinion, its newest', async () => {
    await put({ question: 'q', judge: 'a', label: 'ignored' })
    await put({ question: 'q', judge: 'a', samples: 3 })
    await put({ question: 'q', judge: 'b' })
    expect(await queue()).toEqual([])
  })
})

describe('order, filters, pages', () => {
  beforeEach(async () => {
    await put({
      question: 'unverified',
      judge: 'a',
      status: 'unverified',
      metadata: { task: 't1', agent: 'x', model: 'm' },
    })
    await put({ question: 'near', judge: 'a', metadata: { task: 't1', agent: 'x' } })
    await put({ question: 'near', judge: 'b', label: 'ignored', metadata: { task: 't1', agent: 'x', batch: 'old' } })
    await put({ question: 'far', judge: 'a', label: 'compliant', metadata: { task: 't2' } })
    await put({ question: 'far', judge: 'c', label: 'not_observed', metadata: { task: 't2' } })
    const { id } = await put({ question: 'human', judge: 'c', metadata: { task: 't3' } })
    await review(id, 'ada', 'ignored')
  })

  test('the most telling first', async () => {
    expect(await questions()).toEqual(named('human', 'far', 'near', 'unverified'))
  })

  test.each([
    ['judge=b', ['near']],
    ['judge=a', ['far', 'near', 'unverified']],
    ['task=t1', ['near', 'unverified']],
    ['task=t1&judge=b', ['near']],
    ['agent=x&model=m', ['unverified']],
    ['batch=old', ['near']],
    ['settled=true', ['human']],
    ['settled=false&kind=judges', ['far', 'near']],
    ['rubric=tab-behavior@1&judge=c', ['human', 'far']],
    ['task=__proto__', []],
    ['model=%1B%5B2J%00', []],
  ])('%s', async (query, wanted) => {
    expect(await questions(query)).toEqual(named(...wanted))
  })

  test('a filter chooses questions, and all that was said of them is shown', async () => {
    expect((await queue('batch=old'))[0]?.grades.map(({ judge }) => judge)).toEqual(['b', 'a'])
  })

  test('pages meet without a gap, also where something above has come in between', async () => {
    const first = await page('limit=2')
    await put({ question: 'new', judge: 'a', label: 'compliant' })
    await put({ question: 'new', judge: 'b', label: 'not_observed' })
    const rest = await page(`limit=2&cursor=${first.next_cursor}`)
    expect(
      [...first.items, ...rest.items]
        .map((one) => one.trajectory)
        .filter((one) => !questionNamed('new').startsWith(one)),
    ).toEqual(named('human', 'far', 'near', 'unverified').map((question) => question.split('/')[0]))
    expect(rest.next_cursor).toBeNull()
  })

  test('pages meet between questions of one score', async () => {
    for (const question of ['even', 'evener', 'evenest']) {
      await put({ question, judge: 'a', label: 'compliant' })
      await put({ question, judge: 'b', label: 'not_observed' })
    }
    const paged: Disagreement[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { items, next_cursor } = await page(`limit=1${cursor && `&cursor=${cursor}`}`)
      paged.push(...items)
      cursor = next_cursor
    }
    expect(paged).toEqual(await queue())
    expect(paged).toHaveLength(7)
  })

  test.each(['kind=good', 'settled=perhaps', 'cursor=bm90', 'limit=1000', 'status=graded', 'format=xml'])(
    '%s is refused',
    async (query) => {
      const response = await app.get(`/v1/disagreements?${query}`)
      expect(response.statusCode).toBe(400)
      expect(response.json<{ errors: { path: string }[] }>().errors[0]?.path).toMatch(/^\/querystring\//)
    },
  )

  test('as a table', async () => {
    const response = await app.get('/v1/disagreements?format=csv&settled=false')
    const rows = parse(response.body, { columns: true }) as Record<string, string>[]
    expect(rows.map((row) => [row['kinds'], row['task'], row['settled']])).toEqual([
      ['judges', 't2', 'false'],
      ['judges', 't1', 'false'],
      ['unverified', 't1', 'false'],
    ])
    expect(rows[0]?.['grades']).toMatch(/^grd_\w+ c@tab-behavior@1 not_observed; grd_\w+ a@tab-behavior@1 compliant$/)
  })
})
