-- What the journeys in Neovim have in common: steps that are told, and stop at the first that fails.
local M = {}
local failed = 0

function M.say(...)
  io.stdout:write(table.concat({ ... }, ' ') .. '\n')
end

-- The limit is far beyond what a plan takes: it ends a test that would wait for ever.
function M.wait_for(what, condition)
  local last
  local reached = vim.wait(120000, function()
    local ok, answer = pcall(condition)
    last = answer
    return ok and answer
  end, 10)
  if not reached then
    error('timeout: ' .. what .. ': ' .. vim.inspect(last), 2)
  end
end

function M.test(name, body)
  if failed > 0 then
    return
  end
  local ok, trace = xpcall(body, debug.traceback)
  if not ok then
    failed = failed + 1
  end
  M.say(ok and 'ok' or 'not ok', name, ok and '' or trace)
end

-- The text on the screen.
function M.screen()
  vim.cmd('redraw')
  local lines = {}
  for line = 1, vim.o.lines do
    local cells = {}
    for cell = 1, vim.o.columns do
      cells[cell] = vim.fn.screenstring(line, cell)
    end
    lines[line] = table.concat(cells)
  end
  return table.concat(lines, '\n')
end

-- Ends Neovim, with what `tell` says of a failure.
function M.finish(tell)
  if failed > 0 then
    M.say('messages:', vim.fn.execute('messages'))
    tell()
  end
  vim.cmd(failed == 0 and 'qall!' or 'cquit! 1')
end

-- What journeys ask of the buffer that they edit.
function M.about(buffer)
  local it = {}

  function it.client() return vim.lsp.get_clients({ bufnr = buffer, name = 'planlens' })[1] end

  function it.text() return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n') end

  function it.line_of(part)
    for index, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
      if line:find(part, 1, true) then
        return index
      end
    end
  end

  -- The title of the lens above a block.
  function it.lens_of(part)
    vim.lsp.codelens.refresh({ bufnr = buffer })
    for _, lens in ipairs(vim.lsp.codelens.get(buffer)) do
      if lens.range.start.line + 1 == it.line_of(part) then
        return lens.command and lens.command.title
      end
    end
  end

  return it
end

return M
