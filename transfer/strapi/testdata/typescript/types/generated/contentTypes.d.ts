export interface Boat {}
