export const knots = (metres: number) => metres * 1.944;
