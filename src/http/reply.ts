import type { FastifyReply } from 'fastify'

/** Sends a value as JSON as it is: the response schemas describe, they do not filter. */
export const sendJson = (reply: FastifyReply, value: unknown, status = 200): FastifyReply =>
  sendText(reply, JSON.stringify(value), status)

export const sendText = (reply: FastifyReply, text: string | Buffer, status = 200): FastifyReply =>
  reply.code(status).type('application/json; charset=utf-8').send(text)
