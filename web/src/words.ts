// The words of the page that plays, in English and Vietnamese. {0}, {1} stand for what is put in.
import type { Language } from "./boards/board";

const en = {
  play: "Play", analyse: "Analyse", person: "person", bot: "bot", level: "level", newGame: "New game", standard: "Usual start",
  undo: "Undo", redo: "Redo", hint: "Hint", first: "first position", back: "back", forward: "forward", last: "last position",
  toMove: "{0} to move", yourMove: "{0} to move: your turn", thinking: "{0} to move: the bot is thinking", wins: "{0} wins", draw: "A draw", score: "{0} to {1}",
  value: "Value", simulations: "{0} visits", speed: "{0} simulations/s in this browser ({1})", speedServer: "{0} simulations/s on the server",
  stop: "Stop", start: "Start", moves: "Game", noMoves: "No move has been played.", review: "Review the game", reviewing: "Reviewing {0} of {1}",
  mistakes: "{0} inaccuracies, {1} mistakes, {2} blunders", best: "best: {0}", setup: "Set up a position, load a game", text: "A position or a saved game, as text",
  use: "Use it", load: "Load a file", save: "Save", share: "Copy link", copied: "The link is copied.", linkHere: "The address of this page is the link.", rules: "Rules", keys: "Keys",
  model: "bot", line: "A line of the search: {0}", illegal: "Not a legal position: {0}",
  expert: "{0} simulations a move", values: "Value of each position, {0} above, {1} below", game: "game",
  keysText: "← and → go through the game, U takes back, H gives a hint, N begins a new game. On a board Tab goes from one choice to the next, arrow keys to the next cell, Enter chooses. In Patchwork 1, 2 and 3 take a patch, arrow keys move it, R turns and F flips it, Enter drops it, and A advances.",
  analysisOf: "What the search thinks", noSearch: "The game is over.", paused: "The bot waits: you are looking at an earlier position.",
};

const vi: typeof en = {
  play: "Chơi", analyse: "Phân tích", person: "người", bot: "máy", level: "trình độ", newGame: "Ván mới", standard: "Thế cờ thường",
  undo: "Đi lại", redo: "Đi tiếp", hint: "Gợi ý", first: "thế đầu", back: "lùi", forward: "tiến", last: "thế cuối",
  toMove: "Đến lượt {0}", yourMove: "Đến lượt {0}: mời bạn", thinking: "Đến lượt {0}: máy đang nghĩ", wins: "{0} thắng", draw: "Hoà", score: "{0} – {1}",
  value: "Đánh giá", simulations: "{0} lượt", speed: "{0} mô phỏng/giây ở trình duyệt này ({1})", speedServer: "{0} mô phỏng/giây trên máy chủ",
  stop: "Dừng", start: "Bắt đầu", moves: "Ván cờ", noMoves: "Chưa có nước đi nào.", review: "Xem lại ván cờ", reviewing: "Đang xem lại {0} / {1}",
  mistakes: "{0} nước chưa chính xác, {1} sai lầm, {2} sai lầm nặng", best: "hay nhất: {0}", setup: "Xếp thế cờ, mở ván đã lưu", text: "Thế cờ hoặc ván cờ dạng chữ",
  use: "Dùng", load: "Mở tệp", save: "Lưu", share: "Chép liên kết", copied: "Đã chép liên kết.", linkHere: "Địa chỉ trang này là liên kết.", rules: "Luật chơi", keys: "Phím",
  model: "máy", line: "Một dãy nước của máy: {0}", illegal: "Thế cờ không hợp lệ: {0}",
  expert: "{0} mô phỏng mỗi nước", values: "Đánh giá từng thế cờ, {0} ở trên, {1} ở dưới", game: "trò chơi",
  keysText: "← và → xem từng nước, U đi lại, H gợi ý, N ván mới. Trên bàn cờ, Tab chuyển giữa các lựa chọn, Enter để chọn.",
  analysisOf: "Máy nghĩ gì", noSearch: "Ván cờ đã kết thúc.", paused: "Máy đang chờ: bạn đang xem một thế cờ trước.",
};

export type Key = keyof typeof en;

/** t(language)("wins", "Blue") is "Blue wins". */
export function t(language: Language): (key: Key, ...args: (string | number)[]) => string {
  const all = language === "vi" ? vi : en;
  return (key, ...args) => all[key].replace(/\{(\d)\}/g, (_, n) => String(args[Number(n)]));
}

export type Words = ReturnType<typeof t>;
