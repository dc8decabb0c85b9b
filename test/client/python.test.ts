import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { GROUND_TRUTH, TRAJECTORY } from '../grading/harness.ts'
import { makeItems } from '../http/make-batch.ts'
import { serve } from '../local-server.ts'
import { startMockProvider } from '../mock-provider/start.ts'
import { GUARDED, startApp } from '../start-app.ts'
import { noPython, shown } from './run-python.ts'
import { judgeOnHold, layWire, runService } from './running-service.ts'

if (noPython !== null) process.stdout.write(`the Python client is not tested: ${noPython}\n`)

const REQUEST = { trajectory: TRAJECTORY, ground_truth: GROUND_TRUTH }
const given = (value: unknown): { env: NodeJS.ProcessEnv } => ({ env: { GIVEN: JSON.stringify(value) } })
const GIVEN = 'given = json.loads(os.environ["GIVEN"])\n'
const CAUGHT = `
def caught(call):
    try: call()
    except veridict.VeridictError as error: return error
    raise AssertionError("nothing was raised")
`

describe.skipIf(noPython !== null)('the Python client', () => {
  test('grades, and reads what it graded', async () => {
    const program = `${GIVEN}
grade = client.grade(given)
show([grade["status"], grade["label"], client.grade(given)["id"] == grade["id"]])
show(client.read_grade(grade["id"])["label"])
show(client.request("GET", "/v1/grades", query={"label": "aligned", "limit": 5})["items"][0]["id"] == grade["id"])`
    const { origin } = await runService()
    expect(await shown(origin, program, given(REQUEST))).toEqual([['graded', 'aligned', true], 'aligned', true])
  })

  test('raises what cannot be taken for a grade where a judge failed, with its stored grade; the provider was asked for real', async () => {
    const provider = await startMockProvider([{ status: 401, code: 'invalid_api_key' }])
    const env = {
      OPENAI_API_KEY: 'test-key',
      OPENAI_BASE_URL: `${provider.origin}/v1`,
      VERIDICT_OPENAI_MODEL: 'mock-1',
    }
    const program = `${GIVEN}${CAUGHT}
error = caught(lambda: client.grade(given))
show([type(error).__name__, error.code, error.status, error.retryable])
show(client.read_grade(error.grade_id)["failure"]["code"])`
    const { origin } = await runService({ env })
    expect(await shown(origin, program, given({ ...REQUEST, judge: 'openai' }))).toEqual([
      ['JudgeFailed', 'authentication', 502, false],
      'authentication',
    ])
    expect(provider.requests).toHaveLength(1)
  })

  test('names the place of what is wrong', async () => {
    const program = `${GIVEN}${CAUGHT}
error = caught(lambda: client.grade(given))
show([type(error).__name__, error.status, error.code, error.errors[0].path, str(error)])`
    const wrong = { ...REQUEST, ground_truth: { instruction: 'x', cue: { txt: 'y' } } }
    const [told] = (await shown((await runService()).origin, program, given(wrong))) as [string[]]
    expect(told.slice(0, 4)).toEqual(['ServiceError', 400, 'invalid_request', '/ground_truth/cue/text'])
    expect(told[4]).toContain('; /ground_truth/cue/text: is missing')
  })

  test('sends its key', async () => {
    const app = await startApp({ env: GUARDED })
    const origin = await app.listen()
    const program = `${GIVEN}${CAUGHT}
show(client.grade(given)["label"])
error = caught(lambda: veridict.Client("${origin}").grade(given))
show([error.status, error.code])`
    const { env } = given(REQUEST)
    expect(await shown(origin, program, { env: { ...env, TOKEN: await app.give() } })).toEqual([
      'aligned',
      [401, 'unauthorized'],
    ])
  })

  test('uses connections again, and survives that the service closes one', async () => {
    const { origin } = await runService()
    const wire = await layWire(origin)
    const program = `${GIVEN}
for _ in range(5): client.grade(given)
show("cut")
__import__('time').sleep(0.3)
show(client.grade(given)["label"])`
    const run = shown(wire.origin, program, {
      ...given(REQUEST),
      onLine: (line) => {
        if (line !== '"cut"') return
        expect(wire.connections).toBe(1)
        wire.cut()
      },
    })
    expect(await run).toEqual(['cut', 'aligned'])
  })

  test('sends the items of a generator while it reads them; progress and results come as they go', async () => {
    const { judge, release } = judgeOnHold(10)
    const { origin } = await runService({ judges: [judge] })
    const program = `${GIVEN}
batch = client.batch((item for item in given), name="thirty", judge="scripted")
show(batch["counts"]["total"])
for result in client.results(batch["id"]):
    show([result["index"], result["status"], result["label"]])
states = []
last = client.wait(batch["id"], states.append)
show([last["status"], last["counts"]["failed"], states[-1] == last, veridict.is_settled(last)])`
    const onLine = (line: string) => line.startsWith('[9,') && release()
    const [total, ...rest] = await shown(origin, program, { ...given(makeItems(30)), onLine })
    expect(total).toBe(30)
    const ended = Array.from({ length: 30 }, (_, run) =>
      run % 5 === 4 ? [run, 'failed', null] : [run, 'graded', 'aligned'],
    )
    expect(rest).toEqual([...ended, ['done', 6, true, true]])
  })

  test('gives every result once over a wire that breaks', async () => {
    const { judge, release } = judgeOnHold(50)
    const { origin } = await runService({ judges: [judge] })
    const wire = await layWire(origin)
    const program = `${GIVEN}
batch = client.batch(given, judge="scripted")
for result in client.results(batch["id"]): show(result["index"])`
    const onLine = (line: string) => {
      if (line === '49' || line === '80') wire.cut()
      if (line === '49') release()
    }
    const seen = await shown(wire.origin, program, { ...given(makeItems(120)), onLine })
    expect(seen).toEqual(Array.from({ length: 120 }, (_, index) => index))
  })

  test('finds a batch whose answer was lost, and one with its key, and makes none twice', async () => {
    const { judge } = judgeOnHold(1000)
    const { origin } = await runService({ judges: [judge] })
    const wire = await layWire(origin)
    wire.onBytes = () => {
      wire.onBytes = () => undefined
      wire.cut()
    }
    const program = `${GIVEN}
def unread(): raise AssertionError("read")
first = client.batch(given, judge="scripted")
show([first["counts"]["total"], len(client.request("GET", "/v1/batches")["items"])])
second = client.batch(given, judge="scripted", key="nightly")
show([client.batch(unread, key="nightly")["id"] == second["id"], client.find_batch("another")])`
    expect(await shown(wire.origin, program, given(makeItems(5)))).toEqual([
      [5, 1],
      [true, null],
    ])
  })

  test('raises what the items raise, refuses a batch with the place of its fault, and makes none', async () => {
    const { origin } = await runService()
    const program = `${GIVEN}${CAUGHT}
def broken():
    yield given[0]
    raise OSError("the disk is gone")
try: client.batch(broken())
except OSError as error: show(str(error))
def wrong():
    for at in range(20000): yield dict(given[0], item_id=str(at), samples=0 if at == 41 else 1)
error = caught(lambda: client.batch(wrong()))
show([error.code, error.errors[0].path])
show(client.estimate(given)["to_grade"])
show(client.request("GET", "/v1/batches")["items"])`
    expect(await shown(origin, program, given(makeItems(3, { judge: 'lexical' })))).toEqual([
      'the disk is gone',
      ['invalid_request', '/items/41/samples'],
      3,
      [],
    ])
  })

  test('tries again where the service is busy, within bounds, and nothing that was perhaps heard twice', async () => {
    const asked: string[] = []
    const origin = await serve((request, response) => {
      asked.push(`${request.method} ${request.url}`)
      if (request.url === '/v1/regrades') return void request.socket.destroy()
      const wait = request.url === '/v1/judges' ? '7200' : '0'
      if (request.url === '/v1/rubrics' && asked.length === 3) return void response.end('{}')
      const status = /reviews|batches/.test(request.url ?? '') ? 504 : 503
      response.writeHead(status, { 'retry-after': wait }).end('{"code": "overloaded", "detail": "busy"}')
    })
    const program = `${CAUGHT}
show(client.request("GET", "/v1/rubrics"))
show(caught(lambda: client.request("GET", "/v1/judges")).retry_after)
show(type(caught(lambda: client.request("POST", "/v1/regrades", body={}))).__name__)
show([caught(lambda: client.request("POST", "/v1/grades/g/reviews", body={})).status, caught(lambda: client.batch([])).status])
client.close()`
    expect(await shown(origin, program)).toEqual([{}, 7200, 'Unreachable', [504, 504]])
    expect(asked.slice(0, 4).map((one) => one.split('/v1/')[1])).toEqual(['rubrics', 'rubrics', 'rubrics', 'judges'])
    expect(asked.filter((one) => one.startsWith('POST'))).toHaveLength(3)
  })

  test.each([
    ['{"label": "aligned"}', 200, 'not_a_grade'],
    ['{"status": "failed", "label": "aligned"}', 200, 'not_a_grade'],
    ['<!doctype html>', 200, 'not_json'],
    ['<!doctype html>', 502, 'not_a_problem'],
    ['{"code": "a", "detail": "b", "errors": [{"x": 1}]}', 400, 'not_a_problem'],
  ])('takes %s (%i) for no grade', async (body, status, code) => {
    const origin = await serve((_request, response) => response.writeHead(status).end(body))
    const program = `${CAUGHT}
client = veridict.Client(os.environ["ORIGIN"], tries=1)
error = caught(lambda: client.grade({"trajectory": {}, "ground_truth": {}}))
show([type(error).__name__, error.status, error.code])
client.close()`
    expect(await shown(origin, program, { env: { ORIGIN: origin } })).toEqual([['ServiceError', status, code]])
  })

  test('refuses what is no address, and what is no key without showing it', async () => {
    await expect(shown('127.0.0.1:8787', '')).rejects.toThrow('is not the address of a service')
    const told = await shown('http://127.0.0.1:1', '', { env: { TOKEN: 'vk_secret\nx: y' } }).catch(String)
    expect(told).toMatch(/the token is not a key: a key looks like vk_\.\.\.\s*$/)
    expect(told).not.toContain('secret')
  })
})

const MYPY = ['/usr/bin/python3', 'python3'].find((one) => spawnSync(one, ['-m', 'mypy', '--version']).status === 0)
if (MYPY === undefined) process.stdout.write('the types of the Python client are not checked: there is no mypy\n')

test.skipIf(MYPY === undefined)('its types hold under mypy --strict, as of Python 3.10', () => {
  const args = [
    '-m',
    'mypy',
    '--strict',
    '--python-version',
    '3.10',
    '--cache-dir',
    '/dev/null',
    'clients/python/veridict.py',
  ]
  expect(spawnSync(MYPY ?? '', args, { encoding: 'utf8' }).stdout).toMatch(/^Success/)
})
