import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { NO_TRACING } from '../telemetry/tracing.ts'
import { LARGE_ANSWER } from './body/large-answers.ts'
import { arrivedEarly, collect, RawBody } from './body/raw-body.ts'
import type { InstalledAccess } from './guard/access/install.ts'
import { securityHeaders } from './guard/access/security-headers.ts'
import type { Admission } from './guard/admission.ts'
import type { RouteDeps } from './routes/route-deps.ts'

interface RawAnswerOptions extends Pick<RouteDeps, 'context' | 'metrics' | 'aliasesOf' | 'state'> {
  readonly access: InstalledAccess
  readonly admission: Admission
}

const GRADES = '/v1/grades'
const ONE_GRADE = /^\/v1\/grades\/(grd_[0-9a-z]{26})$/
const JSON_TYPES: ReadonlySet<string | undefined> = new Set(['application/json', 'application/json; charset=utf-8'])

/**
 * Answers what is asked most often before the framework sees it: hits in memory, and stored grades by their ids, where nobody has to say
 * who he is. Each request passes the same guards as all others and is counted as they are; whatever else it turns out to be, the
 * framework is given it. Not where requests are traced, or where a caller without a key is of another project than the default one.
 */
export function installRawAnswers(http: FastifyInstance, options: RawAnswerOptions): void {
  const { context, metrics, access, admission, state } = options
  if (context.tracing !== NO_TRACING || context.access.anybody.project !== context.main.name) return
  const { server } = http
  const isLogged = http.log.debug !== http.log.silent
  const { body_bytes } = context.config.limits
  const { grades } = context.main.stores
  const aliases = options.aliasesOf(context.main)
  const head = Object.entries(securityHeaders(undefined, context.config.access.behind_tls)).flat()
  const framework = server.listeners('request')[0] as (message: IncomingMessage, response: ServerResponse) => void

  function answerHit(message: IncomingMessage, response: ServerResponse): boolean {
    const { headers } = message
    const most = Number(headers['content-length'])
    if (!(most <= body_bytes) || !JSON_TYPES.has(headers['content-type'])) return false
    if (headers['content-encoding'] !== undefined || headers['idempotency-key'] !== undefined) return false
    const release = admission.holdBody(most)
    if (release === null) return false
    const begun = performance.now()
    collect(message, { most, isOurs: true }, (error, body) => {
      release()
      const known = body instanceof RawBody ? aliases.recall(body.digest) : null
      if (body instanceof RawBody && known !== null && send(response, known.text)) {
        body.free()
        metrics.hit()
        return record('POST', GRADES, begun, known.grade_id)
      }
      arrivedEarly.set(message, { error, body, ms: performance.now() - begun })
      framework(message, response)
    })
    return true
  }

  function answerGrade(message: IncomingMessage, response: ServerResponse, id: string): void {
    const begun = performance.now()
    const give = (text: string | null) => {
      if (text === null || !send(response, text)) return framework(message, response)
      record('GET', `${GRADES}/:id`, begun, null)
    }
    grades.getText(id).then(give, () => give(null))
  }

  /** As `recordRequests` does; `hit`: the grade that answered. */
  function record(method: string, route: string, begun: number, hit: string | null): void {
    const ms = performance.now() - begun
    metrics.request(route, method, 200, ms / 1000)
    if (!isLogged) return
    const log = http.log.child({ reqId: crypto.randomUUID() })
    if (hit !== null) log.debug({ grade_id: hit, cached: true }, 'graded')
    log.debug({ method, route, status: 200, ms: Math.round(ms) }, 'answered')
  }

  /** Whether it could be sent: a large answer is counted and sent in pieces. */
  function send(response: ServerResponse, text: string): boolean {
    if (state.draining || text.length >= LARGE_ANSWER) return false
    const length = Buffer.byteLength(text)
    const fields = ['content-type', 'application/json; charset=utf-8', 'content-length', String(length)]
    response.writeHead(200, [...head, ...fields])
    // What is ASCII is the same in Latin 1, which is written without being encoded.
    response.end(text, length === text.length ? 'latin1' : 'utf8')
    return true
  }

  function isAnswered(message: IncomingMessage, response: ServerResponse): boolean {
    const { method, url = '', headers } = message
    if (!url.startsWith(GRADES) || state.draining || !access.isAnybody(headers)) return false
    if (method === 'POST') return url === GRADES && answerHit(message, response)
    const id = method === 'GET' ? ONE_GRADE.exec(url)?.[1] : undefined
    if (id !== undefined) answerGrade(message, response, id)
    return id !== undefined
  }

  server.removeListener('request', framework)
  server.prependListener('request', (message, response) => {
    if (!isAnswered(message, response)) framework(message, response)
  })
}
