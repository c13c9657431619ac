/** What the stub answers for every name: a master secret as the stack has it made; as a token it will do. */
export const anySecret = 'a1B2'.repeat(16)
