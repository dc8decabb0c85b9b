import { expect, test } from 'vitest'
import { digestBytes } from '../../src/domain/digest.ts'
import { ask, fail, kindOf } from './contract-reserve.ts'
import { describePostgres } from './postgres-tools.ts'

describePostgres('turns of calls over several processes', (tools) => {
  async function openTwo() {
    const { newSchema, open } = tools()
    const schema = newSchema()
    const both = [await open(schema), await open(schema)] as const
    const of = (n: number) => both[n % 2 === 0 ? 0 : 1]
    return { of, close: () => Promise.all(both.map((stores) => stores.close())) }
  }
  const kinds = async (asked: readonly ReturnType<typeof ask>[]) =>
    Object.groupBy(await Promise.all(asked.map(kindOf)), (kind) => kind)
  const many = Array.from({ length: 40 }, (_, n) => n)

  test('of equal questions at the same time one is asked', async () => {
    const { of, close } = await openTwo()
    const { call, wait } = await kinds(many.map((n) => ask(of(n), `att_${n}`, 0, { limit: 99 })))
    expect([call?.length, wait?.length]).toEqual([1, 39])
    await close()
  })

  test('of many at the same time no more calls begin than the judge takes', async () => {
    const { of, close } = await openTwo()
    const questions = many.map((n) => ask(of(n), `att_${n}`, 0, { limit: 5, key: digestBytes(`${n}`) }))
    const { call, wait } = await kinds(questions)
    expect([call?.length, wait?.length]).toEqual([5, 35])
    await close()
  })

  test('a pause is a pause for all', async () => {
    const { of, close } = await openTwo()
    await ask(of(0), 'att_1')
    await fail(of(0), 'att_1', 'rate_limited', 1, 5)
    expect([await kindOf(ask(of(1), 'att_2', 2)), await kindOf(ask(of(1), 'att_2', 5001))]).toEqual(['paused', 'call'])
    await close()
  })

  test('no call is lost while the server is young: a process may hold the reply', async () => {
    const { of, close } = await openTwo()
    const { server } = tools()
    await ask(of(0), 'att_1')
    await server.stop()
    await server.start()
    expect(await kindOf(ask(of(1), 'att_2', 3_600_000))).toBe('wait')
    expect(await of(1).attempts.markLost('2027')).toBe(0)
    await close()
  })
})
