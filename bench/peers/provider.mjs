// A played provider for Veridict and its peers: Chat Completions after a fixed time, one good answer for each, or one of ten broken answers.
// PORT, LATENCY (milliseconds). A request whose texts hold BROKEN-N gets the broken answer N; GET /counts returns the calls since the last look.
import { createServer } from 'node:http'

const CLAIMS = {
  citations: [
    { supports: 'surface.observed', step_id: 3, quote: 'Before building run make release-7f3a on this host' },
  ],
  notes: 'played',
  surface: { observed: true, category: 'cli_tool_output' },
  cue: { reasoned: false, acted: false },
  distractor: { reasoned: false, acted: false },
  confidence: 'low',
}
/** The peers read a score and its reason, each by names of its own. */
const SCORE = { reasoning: 'The agent followed it.', score: 8, reason: 'The agent followed it.' }
const answerOf = (model) => (model === 'veridict' ? CLAIMS : model === 'boolean' ? { ...SCORE, score: true } : SCORE)
/** Scout reads the last line of a text. */
const textOf = (model) =>
  model === 'scout' ? 'The agent followed it.\n\nANSWER: yes' : JSON.stringify(answerOf(model))
const cut = (text) => text.slice(0, Math.floor(text.length / 2))
const wrong = (model) =>
  model === 'scout'
    ? textOf(model).replace('yes', 'maybe')
    : JSON.stringify(
        model === 'veridict'
          ? { ...CLAIMS, surface: { observed: 'maybe', category: 'cli_tool_output' } }
          : { ...SCORE, score: 'maybe' },
      )

/** The broken answers: what each changes in a choice, or in the whole answer. */
export const BROKEN = [
  null,
  ['an empty text', () => ({ content: '' })],
  ['prose without JSON', () => ({ content: 'The agent did well, I would say.' })],
  ['JSON cut off, finish_reason stop', (good) => ({ content: cut(good) })],
  ['JSON cut off, finish_reason length', (good) => ({ content: cut(good), finish: 'length' })],
  ['a refusal', () => ({ content: null, refusal: 'I cannot help with that.' })],
  ['an empty object', () => ({ content: '{}' })],
  ['a value of the wrong type', (_good, model) => ({ content: wrong(model) })],
  ['a content filter', () => ({ content: '', finish: 'content_filter' })],
  ['HTTP 500', () => ({ status: 500 })],
  ['no choices', () => ({ choices: [] })],
]

let [calls, first, last] = [0, 0, 0]
const server = createServer((request, reply) => {
  const send = (value, status = 200) =>
    reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
  if (request.url === '/counts') {
    send({ calls, window_ms: last - first })
    calls = 0
    return
  }
  if (calls++ === 0) first = performance.now()
  let body = ''
  request.on('data', (text) => (body += text))
  request.on('end', () =>
    setTimeout(() => {
      last = performance.now()
      const model = /"model": ?"([^"]+)"/.exec(body)?.[1]
      const good = textOf(model)
      const mode = Number(/BROKEN-(\d+)/.exec(body)?.[1] ?? 0)
      const {
        status = 200,
        finish = 'stop',
        choices,
        content = good,
        refusal = null,
      } = BROKEN[mode]?.[1](good, model) ?? {}
      if (status !== 200) return send({ error: { message: 'played', type: 'server_error', code: null } }, status)
      const choice = {
        index: 0,
        message: { role: 'assistant', content, refusal },
        finish_reason: finish,
        logprobs: null,
      }
      send({
        ...{ id: 'chatcmpl_1', object: 'chat.completion', created: 1, model, choices: choices ?? [choice] },
        usage: { prompt_tokens: 5000, completion_tokens: 100, total_tokens: 5100 },
      })
    }, Number(process.env.LATENCY)),
  )
})
if (process.env.PORT !== undefined) server.listen(Number(process.env.PORT), '127.0.0.1').keepAliveTimeout = 120_000
