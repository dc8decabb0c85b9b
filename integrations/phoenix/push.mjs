#!/usr/bin/env node
import { messageOf, OPTIONS_HELP, pushResults } from '../shared/push-results.mjs'

const HELP = `Sends the labels of a batch to Phoenix, as annotations of its traces.

  veridict results BATCH -o ndjson | node integrations/phoenix/push.mjs [options]

${OPTIONS_HELP}

PHOENIX_HOST (http://localhost:6006 where absent), PHOENIX_API_KEY and PHOENIX_CLIENT_HEADERS are read as its client does. Phoenix
must have the traces: annotations of traces that it does not know are named and not sent.`

/** By a name, so that linting does not read its types, of which there are 200,000. */
const CLIENT = '@arizeai/phoenix-client'
/** Annotations of one request. */
const MOST = 100
/** Phoenix keeps one annotation for each trace, name and identifier. @param {import('../shared/read-scores.mjs').Score} score */
const body = ({ trace, name, by_model, label, number, explanation, metadata, grade }) => ({
  trace_id: trace,
  name,
  annotator_kind: by_model ? 'LLM' : 'CODE',
  result: { label, score: number, explanation },
  metadata,
  identifier: grade,
})

/** @returns {Promise<import('../shared/push-results.mjs').Send>} */
async function connect() {
  const { createClient } = await import(CLIENT).catch(() => {
    throw new Error('The client is not there: npm install @arizeai/phoenix-client')
  })
  const client = createClient()
  const refusalOf = async (scores) => {
    try {
      // `sync`: what is answered is kept. Without it Phoenix only queues, and drops in silence what has no trace.
      await client.POST('/v1/trace_annotations', {
        params: { query: { sync: true } },
        body: { data: scores.map(body) },
      })
      return null
    } catch (error) {
      if (error?.response?.status === 404) return `Phoenix has no trace ${scores[0].trace}`
      throw new Error(`Phoenix: ${failureOf(error)}`)
    }
  }
  return async (scores) => {
    if ((await refusalOf(scores)) === null) return []
    // One unknown trace refuses a whole request: then each is asked for alone.
    const refused = []
    for (const score of scores) {
      const why = await refusalOf([score])
      if (why !== null) refused.push({ score, why })
    }
    return refused
  }
}

function failureOf(error) {
  const status = error?.response?.status
  if (status === 401 || status === 403) return `refused the key (${status}): PHOENIX_API_KEY, or PHOENIX_CLIENT_HEADERS`
  // What `fetch` says of a header or an address that it cannot use quotes it, keys too.
  if (error instanceof TypeError && error.cause === undefined)
    return 'PHOENIX_HOST, PHOENIX_API_KEY or PHOENIX_CLIENT_HEADERS is none that can be sent'
  return status === undefined
    ? `it cannot be asked (${error?.cause?.code ?? messageOf(error?.cause ?? error)}): is PHOENIX_HOST right?`
    : messageOf(error)
}

await pushResults({ help: HELP, most: MOST, options: {}, body, connect })
